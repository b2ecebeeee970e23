/** Turns of the history that a session was created with. */
import type { ConversationMessage, EventOf, ToolCallPart } from '@polylogue/engine'
import { applyPatch } from '../fold/apply-patch.ts'
import type { ContentBlock } from '../wire.ts'
import { newTurn, type NewTurn } from './new-turn.ts'
import { toShownResult } from './tool-result.ts'
import { idsOfEntry } from './turn-ids.ts'
import { textBlock, toUserBlocks } from './user-turn.ts'

export interface Seeded {
  readonly turns: readonly NewTurn[]
  /** Open calls and their turns. */
  readonly open: readonly { readonly call: ToolCallPart; readonly turnId: string }[]
}

export function toSeededTurns(
  { entryId, messages }: Pick<EventOf<'session.seeded'>, 'entryId' | 'messages'>,
  { sessionId, at }: { readonly sessionId: string; readonly at: number },
): Seeded {
  const turns: NewTurn[] = []
  const open = new Map<string, { readonly call: ToolCallPart; readonly turnId: string }>()
  for (const [index, message] of messages.entries()) {
    const ids = idsOfEntry(`${entryId}_${index}`)
    if (message.role === 'tool') {
      settle(turns, message, { turnId: open.get(message.toolCallId)?.turnId, sessionId })
      open.delete(message.toolCallId)
    } else if (message.role === 'system') {
      turns.push(newTurn(ids, { role: 'system', at, blocks: [textBlock(message.text)] }))
    } else if (message.role === 'user') {
      turns.push(newTurn(ids, { role: 'user', at, ...toUserBlocks(message.content, sessionId) }))
    } else {
      const { content } = message
      const parts = typeof content === 'string' ? [{ type: 'text', text: content } as const] : content
      let turn = newTurn(ids, { role: 'assistant', at, blocks: parts.flatMap(toBlock) })
      for (const call of parts.filter((part) => part.type === 'tool-call')) {
        turn = withCall(turn, call)
        open.set(call.toolCallId, { call, turnId: ids.turn_id })
      }
      turns.push(turn)
    }
  }
  return { turns: turns.map((turn) => paused(turn, open)), open: [...open.values()] }
}

const toBlock = (
  part: Exclude<Extract<ConversationMessage, { role: 'assistant' }>['content'], string>[number],
): ContentBlock[] => (part.type === 'text' || part.type === 'thinking' ? [textBlock(part.text, part.type)] : [])

function withCall(turn: NewTurn, { toolCallId, name, input }: ToolCallPart): NewTurn {
  const data = {
    id: toolCallId,
    tool_name: name,
    display_name: name,
    arguments: JSON.stringify(input),
    status: 'awaiting_answer',
  } as const
  return applyPatch({ ...turn, sequence: 0 }, { patch_type: 'add_tool_call', data }) ?? turn
}

function settle(
  turns: NewTurn[],
  message: ConversationMessage & { role: 'tool' },
  { turnId, sessionId }: { readonly turnId: string | undefined; readonly sessionId: string },
): void {
  const index = turns.findIndex((turn) => turn.turn_id === turnId)
  const turn = turns[index]
  if (turn === undefined) return
  const { result } = toShownResult({ output: message.content }, sessionId)
  const data = { tool_call_id: message.toolCallId, result, status: 'done', duration_ms: null } as const
  turns[index] = applyPatch({ ...turn, sequence: 0 }, { patch_type: 'tool_result', data }) ?? turn
}

function paused(turn: NewTurn, open: ReadonlyMap<string, unknown>): NewTurn {
  return turn.tool_calls.some(({ id }) => open.has(id)) ? { ...turn, status: 'paused' } : turn
}
