import type { Failure, RecordedEvent } from '../events/recorded-event.ts'
import type { StepOutcome } from '../events/step-events.ts'
import type { TurnOutcome } from '../events/turn-events.ts'
import type { StepBlock, Usage } from '../content.ts'
import type { EntryId, ToolCallId } from '../ids.ts'
import type { DecideContext } from './decision.ts'
import { failedAttemptOf } from './failed-attempt.ts'
import { presetChange } from './decide-changes.ts'
import {
  childOf,
  openCallsIn,
  type ActiveTurn,
  type LoopProgress,
  type QueuedInput,
  type SessionState,
} from '../state/session-state.ts'

export interface TurnEnd {
  readonly outcome: TurnOutcome
  readonly error?: Failure
  /** The result for open calls. The model reads it. */
  readonly openCalls: string
  /** What an open call has shown while it ran. It stays in its result. */
  outputOf?(toolCallId: ToolCallId): string
  /** The turn ends because of new input. */
  readonly isSuperseded?: boolean
  /** The partial text of unfinished model steps. */
  partialOf?(stepId: EntryId): readonly StepBlock[]
  /** The usage of an unfinished model step, if the provider reported it. */
  readonly usage?: Usage
  /** The number of the newest live batch, if unfinished model steps had any. */
  readonly liveBatches?: number
}

/** Settles all open calls, then ends the step and the turn, so that the history is always valid. */
export function endTurn(turn: ActiveTurn, end: TurnEnd): RecordedEvent[] {
  const { turnId } = turn
  return [
    ...endLoop(turn, turn, end),
    {
      type: 'turn.ended',
      turnId,
      outcome: end.outcome,
      ...(end.error && { error: end.error }),
      ...(end.outcome === 'finished' && turn.output !== undefined && { output: turn.output }),
    },
  ]
}

/** Ends everything open in a loop, sub-agents first. */
export function endLoop(turn: ActiveTurn, loop: LoopProgress, end: TurnEnd): RecordedEvent[] {
  const { turnId } = turn
  const events: RecordedEvent[] = openCallsIn(loop).flatMap((call): RecordedEvent[] => {
    const { toolCallId } = call
    const child = childOf(turn, toolCallId)
    const failed = failedAttemptOf(call, turnId)
    return [
      ...(child === undefined
        ? []
        : [
            ...endLoop(turn, child, end),
            { type: 'loop.ended', turnId, loopId: child.loopId, outcome: end.outcome } as const,
          ]),
      {
        type: 'tool-call.settled',
        turnId,
        toolCallId,
        status: 'cancelled',
        output: failed?.output ?? keptOutput(end.openCalls, end.outputOf?.(toolCallId)),
        by: 'engine',
        ...(end.isSuperseded && { isSuperseded: true }),
      },
    ]
  })
  const { step } = loop
  if (step === undefined) return events
  const outcome: StepOutcome = step.phase === 'settling' ? 'completed' : stepOutcomeOf(end.outcome)
  const partial = step.phase === 'asking' ? keptBlocks(end.partialOf?.(step.stepId) ?? []) : []
  return [
    ...events,
    {
      type: 'step.ended',
      turnId,
      stepId: step.stepId,
      outcome,
      ...(partial.length > 0 && { partial }),
      ...(step.phase === 'asking' && end.error && { error: end.error }),
      ...(step.phase === 'asking' && end.usage && { usage: end.usage }),
      ...(step.phase === 'asking' && end.liveBatches !== undefined && { liveBatches: end.liveBatches }),
    },
  ]
}

/**
 * The end of a turn starts the oldest queued input in the same transaction, so that a crash cannot leave the queue
 * stuck.
 */
export function nextQueuedTurn(
  state: SessionState,
  context: Pick<DecideContext, 'recovery'>,
  head = state.head,
): RecordedEvent[] {
  const next = state.queue[0]
  return next === undefined ? [] : startTurn(next, state, { ...context, head })
}

/** Starts a turn and applies the session changes of its settings. */
export function startTurn(
  { turnId, inputId, settings }: Pick<QueuedInput, 'turnId' | 'inputId' | 'settings'>,
  state: Pick<SessionState, 'settings' | 'presetBeforePlan'>,
  context: Pick<DecideContext, 'recovery'> & { readonly head: EntryId | undefined },
): RecordedEvent[] {
  const { head, recovery } = context
  const change = presetChange(state, settings?.isPlanning === undefined ? {} : { planning: settings.isPlanning })
  return [
    { type: 'turn.started', turnId, inputId, parentEntryId: head, recovery: settings?.recovery ?? recovery },
    ...(change.preset === undefined ? [] : [{ type: 'session.configured', settings: change } as const]),
  ]
}

/** The user and the model keep what a stopped call has shown. */
export const keptOutput = (ending: string, shown: string | undefined): string =>
  shown === undefined || shown.trim() === ''
    ? ending
    : `${shown.trimEnd()}\n\n[${ending}. This is the output until then.]`

/** Keeps text and thinking. Calls of an unfinished step were never shown to anyone, so they are dropped. */
export function keptBlocks(blocks: readonly StepBlock[]): readonly StepBlock[] {
  return blocks.filter((block) => block.type !== 'tool-call' && block.text !== '')
}

function stepOutcomeOf(outcome: TurnOutcome): StepOutcome {
  if (outcome === 'cancelled') return 'cancelled'
  return outcome === 'interrupted' ? 'interrupted' : 'failed'
}
