import type { ConversationMessage, ToolCallPart } from '../content.ts'
import { EngineError } from '../errors.ts'
import type { ClientTool } from '../events/session-settings.ts'
import type { ToolCallId } from '../ids.ts'
import type { Ids } from '../ports/ids.ts'

export interface AcceptedSeed {
  readonly messages: readonly ConversationMessage[]
  /** All call ids of the seed. */
  readonly names: readonly string[]
}

interface OpenSeedCall {
  readonly givenId: ToolCallId
  readonly call: ToolCallPart
  readonly message: number
}

/**
 * A seed may leave calls open only for declared client tools. Otherwise a client could invent the input of a server
 * tool and grant the call. Some providers reuse call ids, but ids must be unique in a session. So a call with a used id
 * gets a new one, and so does its result.
 */
export function acceptSeed(
  seed: readonly ConversationMessage[],
  clientTools: readonly ClientTool[],
  ids: Pick<Ids, 'toolCallId'>,
): AcceptedSeed {
  const names = new Set<string>()
  const open: OpenSeedCall[] = []
  const messages = seed.map((message, index): ConversationMessage => {
    if (message.role === 'assistant' && typeof message.content !== 'string') {
      const content = message.content.map((part) => {
        if (part.type !== 'tool-call') return part
        const call = names.has(part.toolCallId) ? { ...part, toolCallId: ids.toolCallId() } : part
        names.add(call.toolCallId)
        open.push({ givenId: part.toolCallId, call, message: index })
        return call
      })
      return { ...message, content }
    }
    if (message.role !== 'tool') return message
    const { call } = takeCall(open, message.toolCallId, { names, field: `seed[${index}]` })
    return { ...message, toolCallId: call.toolCallId }
  })
  for (const { call } of open) {
    if (clientTools.some((tool) => tool.name === call.name)) continue
    throw new EngineError(
      'invalid-seed',
      `tool call ${call.toolCallId} has no result and ${call.name} is not a client tool`,
      'seed',
    )
  }
  return { messages, names: [...names] }
}

/** Finds the call of a result: the first call with this id in the newest message that has one. */
function takeCall(
  open: OpenSeedCall[],
  givenId: ToolCallId,
  { names, field }: { readonly names: ReadonlySet<string>; readonly field: string },
): OpenSeedCall {
  const newest = open.findLast((candidate) => candidate.givenId === givenId)?.message
  const index = open.findIndex((candidate) => candidate.givenId === givenId && candidate.message === newest)
  const [taken] = index === -1 ? [] : open.splice(index, 1)
  if (taken !== undefined) return taken
  const problem = names.has(givenId)
    ? `tool call ${givenId} has two results`
    : `no tool call ${givenId} comes before its result`
  throw new EngineError('invalid-seed', problem, field)
}
