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

/** Deltas of one block put together. `number` counts the batches of the session, over all its turns and restarts. */
export interface LiveBatch extends BlockDelta {
  readonly number: number
}

/** Output of a tool that is running. It may be dropped: the result says all that matters. */
export interface ToolProgress {
  readonly type: 'tool-call.progress'
  readonly toolCallId: ToolCallId
  readonly text: string
}

export type LiveEvent = BlockDelta | ToolProgress

/** How far a reader has come: everything up to `seq`, and of the step that streams then, `offset` units of `block`. */
export interface Cursor {
  readonly seq: number
  readonly block?: number
  readonly offset?: number
}
