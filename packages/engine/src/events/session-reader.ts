import type { BlockDelta, CallInput, LiveBatch, StepRetry, ToolProgress } from './live-event.ts'
import type { Recorded } from './recorded-event.ts'

export interface SessionReader {
  /**
   * During a replay, returning `enough` stops it: nothing more is delivered, and the attachment is detached. Live, the
   * return value is ignored.
   */
  recorded(recorded: Recorded): void | 'enough'
  delta(delta: BlockDelta): void
  /**
   * Output of running tools, for readers that want it. A late reader first gets the newest part of the earlier output.
   */
  progress?(progress: ToolProgress): void
  /** The inputs of calls while the model writes them. A late reader first gets the input so far. */
  input?(input: CallInput): void
  retrying?(retry: StepRetry): void
  /**
   * Deltas grouped into batches: the first of a step immediately, later ones at most 50 ms late, and all before the
   * answer of their step. All readers with this method see the same batches. Such a reader gets deltas only when it
   * attaches: the text so far, which the batches continue.
   */
  batch?(batch: LiveBatch): void
  /** Nothing follows. */
  closed(reason: 'deleted' | 'stopping'): void
}

export interface Attachment {
  /** Idempotent. The reader is not called again. */
  detach(): void
}
