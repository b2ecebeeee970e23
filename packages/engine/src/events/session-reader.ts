import type { BlockDelta, LiveBatch, ToolProgress } from './live-event.ts'
import type { Recorded } from './recorded-event.ts'

export interface SessionReader {
  /**
   * `enough`, said while the past is read, ends the reading: nothing more is told, and the attachment is a detached one.
   * Live, it means nothing.
   */
  recorded(recorded: Recorded): void | 'enough'
  delta(delta: BlockDelta): void
  /** Output of running tools, for readers that want it. Who comes late first gets the newest part of what there was. */
  progress?(progress: ToolProgress): void
  /**
   * Deltas put together: the first of a step at once, later ones at most 50 ms late, all before the answer of their
   * step. Every reader with this method sees the same batches. Such a reader gets deltas only when it comes: the text so
   * far, after which the batches go on.
   */
  batch?(batch: LiveBatch): void
  /** Nothing follows. */
  closed(reason: 'deleted' | 'stopping'): void
}

export interface Attachment {
  /** Idempotent. The reader is not called again. */
  detach(): void
}
