import type { TurnMessage } from './requests.ts'

/** The answer to a call that the session waits for. */
export type CallAnswer =
  | { readonly type: 'approval'; readonly toolCallId: string; readonly granted: boolean; readonly reason?: string }
  | { readonly type: 'result'; readonly toolCallId: string; readonly content: string }

/** What the user says, or the answers to the calls that the session waits for. */
export function toTurnMessages(say: string | readonly CallAnswer[]): readonly TurnMessage[] {
  if (typeof say === 'string') return [{ role: 'user', content: say }]
  return say.map((answer) => {
    const { toolCallId } = answer
    if (answer.type === 'result') return { role: 'tool', toolCallId, content: answer.content }
    const { granted, reason } = answer
    return { role: 'tool_permission', toolCallId, granted, ...(reason !== undefined && { reason }) }
  })
}
