import type { CallStatus, ToolCallSettled } from '../events/call-events.ts'
import type { Failure, RecordedEvent } from '../events/recorded-event.ts'
import type { LoopOutcome } from '../events/loop-events.ts'
import { textOf, type StepBlock, type Usage } from '../content.ts'
import { unreachable } from '../errors.ts'
import { stepEndIfSettled } from '../session/decide-answers.ts'
import type { ActiveTurn, ChildLoop } from '../state/session-state.ts'
import { endLoop } from '../session/end-turn.ts'

/** How a sub-agent ended. */
interface LoopEnd {
  readonly outcome: LoopOutcome
  readonly error?: Failure
}

export interface ChildEnd extends LoopEnd {
  /** The partial text of its unfinished model step. */
  readonly partial?: readonly StepBlock[]
  /** The usage of that step, if the provider reported it. */
  readonly usage?: Usage
  readonly liveBatches?: number
}

interface ClosedLoop extends LoopEnd {
  /** Its last text. */
  readonly said: string
}

/**
 * Ends a sub-agent that did not finish. Its open calls are settled, and its text so far becomes the result of its call.
 */
export function endChild(turn: ActiveTurn, child: ChildLoop, end: ChildEnd): RecordedEvent[] {
  const outcome = end.outcome === 'deadline' ? 'cancelled' : end.outcome
  const open = endLoop(turn, child, {
    outcome,
    openCalls: 'Tool call cancelled: its sub-agent has stopped',
    ...(end.error && { error: end.error }),
    ...(end.usage && { usage: end.usage }),
    ...(end.liveBatches !== undefined && { liveBatches: end.liveBatches }),
    partialOf: (stepId) => (stepId === child.step?.stepId ? (end.partial ?? []) : []),
  })
  const said = textOf(end.partial ?? []) || (child.said ?? '')
  return [...open, ...closeChild(turn, child, { ...end, said })]
}

/**
 * Ends a sub-agent whose steps have ended: records its result, and the end of the parent's step if this was its last
 * open call.
 */
export function closeChild(turn: ActiveTurn, child: ChildLoop, end: ClosedLoop): RecordedEvent[] {
  const { turnId } = turn
  const settled: ToolCallSettled = {
    type: 'tool-call.settled',
    turnId,
    toolCallId: child.parentToolCallId,
    status: statusOf(end.outcome),
    output: resultOf(end),
    by: 'tool',
  }
  return [
    { type: 'loop.ended', turnId, loopId: child.loopId, outcome: end.outcome, ...(end.error && { error: end.error }) },
    settled,
    ...stepEndIfSettled(turn, [settled], child.parentLoopId),
  ]
}

function statusOf(outcome: LoopOutcome): CallStatus {
  if (outcome === 'finished' || outcome === 'token-limit' || outcome === 'refused') return 'completed'
  return outcome === 'cancelled' ? 'cancelled' : 'failed'
}

function resultOf({ outcome, error, said }: ClosedLoop): string {
  const before = said === '' ? '' : `\n\nBefore that it had said:\n${said}`
  switch (outcome) {
    case 'finished':
      return said
    case 'token-limit':
      return `${said}\n\n(The sub-agent's answer was cut off at its length limit.)`
    case 'refused':
      return said === '' ? 'The sub-agent declined.' : said
    case 'step-limit':
      return `The sub-agent stopped at its step limit.${before}`
    case 'deadline':
      return `The sub-agent ran out of time.${before}`
    case 'cancelled':
      return `The sub-agent was cancelled.${before}`
    case 'failed':
    case 'interrupted':
      return `The sub-agent failed: ${error?.message ?? 'it was interrupted'}${before}`
    default:
      return unreachable(outcome)
  }
}
