import type { Recorded, RecordedEvent } from '../events/recorded-event.ts'
import type { EntryId } from '../ids.ts'
import type { Fence, LeaseClaim, NewBlob, NewReceipt, SealedSecret } from '../ports/event-store.ts'
import type { UsageRow } from '../ports/usage-store.ts'
import { evolve } from '../state/evolve.ts'
import type { SessionState } from '../state/session-state.ts'
import { stampLoop } from '../state/stamp-loop.ts'
import { usageRowOf } from '../state/usage-row.ts'

/** The content of one append. */
export interface Batch {
  readonly events: readonly RecordedEvent[]
  readonly names?: readonly string[]
  readonly blobs?: readonly NewBlob[]
  readonly secrets?: readonly SealedSecret[]
  readonly receipt?: NewReceipt
  readonly clearDrafts?: readonly EntryId[]
  /**
   * Claims the session for a runner that starts after this append, unless there is nothing to run. Throws `LeaseHeld` if
   * another process runs the session.
   */
  readonly claim?: LeaseClaim
  /** Further events of the same append, decided on the state after `events`. */
  follow?(state: SessionState): readonly RecordedEvent[]
}

/** A stored batch. */
export interface Committed {
  readonly recorded: readonly Recorded[]
  /** Present if the append claimed the session. */
  readonly fence?: Fence
}

/** A batch with its numbers, and the state after it. */
export interface FoldedBatch {
  readonly state: SessionState
  readonly recorded: readonly Recorded[]
  readonly usage: readonly UsageRow[]
}

export function foldBatch(before: SessionState, batch: Pick<Batch, 'events' | 'follow'>, at: number): FoldedBatch {
  let state = before
  const recorded: Recorded[] = []
  const usage: UsageRow[] = []
  const fold = (event: RecordedEvent): void => {
    const item = { seq: state.seq + 1, at, event: stampLoop(state, event) }
    const row = usageRowOf(state, item)
    if (row !== undefined) usage.push(row)
    state = evolve(state, item)
    recorded.push(item)
  }
  batch.events.forEach(fold)
  batch.follow?.(state).forEach(fold)
  return { state, recorded, usage }
}
