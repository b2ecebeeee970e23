import type { RecordedEvent } from '../events/recorded-event.ts'
import type { LoopId } from '../ids.ts'
import type { ActiveTurn, ChildLoop, SessionState } from './session-state.ts'

/**
 * Says with an event about a step or a call whose it is, where it is a sub-agent's, so that who reads the log from its
 * middle knows. Here, in the one place through which everything is recorded, because deciders think in calls, not loops.
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
