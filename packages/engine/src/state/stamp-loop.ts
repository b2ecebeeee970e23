import type { RecordedEvent } from '../events/recorded-event.ts'
import type { LoopId } from '../ids.ts'
import type { ActiveTurn, ChildLoop, SessionState } from './session-state.ts'

/**
 * Adds the loop id to events about a sub-agent's steps and calls, so that a reader that starts in the middle of the log
 * knows their loop. This happens where all events are recorded, because deciders work with calls, not loops.
 */
export function stampLoop(state: SessionState, event: RecordedEvent): RecordedEvent {
  const { turn } = state
  if (turn === undefined || turn.children.length === 0) return event
  switch (event.type) {
    case 'step.answered':
    case 'step.ended':
      return withLoop(event, turn, ({ step }) => step?.stepId === event.stepId)
    case 'approval.requested':
    case 'approval.resolved':
    case 'tool-call.started':
    case 'tool-call.cancel-requested':
    case 'tool-call.settled':
      return withLoop(
        event,
        turn,
        ({ step }) => step?.calls.some((call) => call.toolCallId === event.toolCallId) === true,
      )
    default:
      return event
  }
}

function withLoop<E extends RecordedEvent & { readonly loopId?: LoopId }>(
  event: E,
  { children }: ActiveTurn,
  isOf: (child: ChildLoop) => boolean,
): E {
  const child = children.find(isOf)
  return child === undefined ? event : { ...event, loopId: child.loopId }
}
