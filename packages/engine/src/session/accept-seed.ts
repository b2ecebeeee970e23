import { MOST_CALLS, type ConversationMessage, type ToolCallPart } from '../content.ts'
import { EngineError } from '../errors.ts'
import type { ClientTool } from '../events/session-settings.ts'
import type { ToolCallId } from '../ids.ts'
import type { Ids } from '../ports/ids.ts'

export interface AcceptedSeed {
  readonly messages: readonly ConversationMessage[]
  /** All call ids of the seed. */
  readonly names: readonly string[]
}

/** Calls of one message with the same given id. */
interface OpenSeedCalls {
  readonly message: number
  readonly calls: ToolCallPart[]
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
  const open = new Map<ToolCallId, OpenSeedCalls[]>()
  const messages = seed.map((message, index): ConversationMessage => {
    if (message.role === 'assistant' && typeof message.content !== 'string') {
      if (message.content.filter(({ type }) => type === 'tool-call').length > MOST_CALLS) {
        throw new EngineError('invalid-seed', `more than ${MOST_CALLS} tool calls`, `seed[${index}]`)
      }
      const content = message.content.map((part) => {
        if (part.type !== 'tool-call') return part
        const call = names.has(part.toolCallId) ? { ...part, toolCallId: ids.toolCallId() } : part
        names.add(call.toolCallId)
        addOpen(open, { givenId: part.toolCallId, call, message: index })
        return call
      })
      return { ...message, content }
    }
    if (message.role !== 'tool') return message
    const call = takeCall(open, message.toolCallId, { names, field: `seed[${index}]` })
    return { ...message, toolCallId: call.toolCallId }
  })
  const toolNames = new Set(clientTools.map(({ name }) => name))
  for (const { calls } of [...open.values()].flat()) {
    const call = calls.find(({ name }) => !toolNames.has(name))
    if (call === undefined) continue
    throw new EngineError(
      'invalid-seed',
      `tool call ${call.toolCallId} has no result and ${call.name} is not a client tool`,
      'seed',
    )
  }
  return { messages, names: [...names] }
}

function addOpen(
  open: Map<ToolCallId, OpenSeedCalls[]>,
  { givenId, call, message }: { readonly givenId: ToolCallId; readonly call: ToolCallPart; readonly message: number },
): void {
  const sameId = open.get(givenId) ?? []
  open.set(givenId, sameId)
  const last = sameId.at(-1)
  if (last?.message === message) last.calls.push(call)
  else sameId.push({ message, calls: [call] })
}

/** Finds the call of a result: the first call with this id in the newest message that has one. */
function takeCall(
  open: Map<ToolCallId, OpenSeedCalls[]>,
  givenId: ToolCallId,
  { names, field }: { readonly names: ReadonlySet<string>; readonly field: string },
): ToolCallPart {
  const sameId = open.get(givenId)
  const newest = sameId?.at(-1)
  const taken = newest?.calls.shift()
  if (newest?.calls.length === 0) sameId?.pop()
  if (taken !== undefined) return taken
  const problem = names.has(givenId)
    ? `tool call ${givenId} has two results`
    : `no tool call ${givenId} comes before its result`
  throw new EngineError('invalid-seed', problem, field)
}
