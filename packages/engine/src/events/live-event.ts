import type { Failure } from './recorded-event.ts'
import type { EntryId, LoopId, ToolCallId, TurnId } from '../ids.ts'

/**
 * A piece of a block on its way to `step.answered`. It may be dropped: the recorded event carries the whole text.
 * `stepSeq` is the seq of the step's `step.started`; `offset` counts UTF-16 units from the start of the block.
 */
export interface BlockDelta {
  readonly type: 'text.delta' | 'thinking.delta'
  readonly turnId: TurnId
  readonly loopId: LoopId
  readonly stepId: EntryId
  readonly stepSeq: number
  readonly block: number
  readonly offset: number
  readonly text: string
}

/** Several deltas of one block. `number` counts the batches of the session across turns and restarts. */
export interface LiveBatch extends BlockDelta {
  readonly number: number
}

/**
 * Output of a running tool. It may be dropped, because the result is complete without it. `offset` counts UTF-16 units from the
 * start of this run of the call.
 */
export interface ToolProgress {
  readonly type: 'tool-call.progress'
  readonly toolCallId: ToolCallId
  readonly offset: number
  readonly text: string
}

/**
 * A piece of the input of a call that the model is writing, as JSON text. The answer of the step has the whole call under
 * the same id, or no such call: then the model did not finish it. `offset` counts UTF-16 units.
 */
export interface CallInput {
  readonly type: 'tool-call.input'
  readonly turnId: TurnId
  readonly loopId: LoopId
  readonly stepId: EntryId
  readonly toolCallId: ToolCallId
  readonly name: string
  readonly offset: number
  readonly text: string
}

/** The model call of a step failed and is made again. Calls that the step was writing are void. */
export interface StepRetry {
  readonly type: 'step.retrying'
  readonly turnId: TurnId
  readonly loopId: LoopId
  readonly stepId: EntryId
  readonly error: Failure
  readonly delayMs: number
}

export type LiveEvent = BlockDelta | ToolProgress | CallInput | StepRetry

/**
 * A reader's position: everything up to `seq`, and `offset` units of `block` in the step that streams at that point.
 */
export interface Cursor {
  readonly seq: number
  readonly block?: number
  readonly offset?: number
}
