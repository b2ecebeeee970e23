import type { BlockDelta, Recorded, RecordedEvent, ConversationMessage, Snapshot, ToolEffect } from '@polylogue/engine'

/**
 * All that is known about one session after a test: what its clients were told, and what the recovered store holds.
 * Clients write down only what they saw themselves; nothing here comes from the server under test but `stored`,
 * `snapshot` and `modelMessages`.
 */
export interface SessionHistory {
  readonly stored: readonly Recorded[]
  readonly snapshot?: Snapshot
  readonly acknowledged: readonly Acknowledgement[]
  readonly readers: readonly ReaderHistory[]
  /** The epochs of the session's leases in the order in which they were handed out. */
  readonly epochs: readonly number[]
  /** Ids of the calls that took effect, one entry for each time, written by the tools themselves. */
  readonly effects: readonly string[]
  /** What the tools of the agent declare, by name. */
  readonly toolEffects: { readonly [tool: string]: ToolEffect }
  /** What the model is given now, where somebody asked. */
  readonly modelMessages?: readonly ConversationMessage[]
}

/** A request that was answered with success: it is on disk. */
export type Acknowledgement =
  | { readonly type: 'input'; readonly text: string; readonly seq?: number }
  | { readonly type: 'answer'; readonly toolCallId: string }
  | { readonly type: 'cancel'; readonly turnId?: string }

/** What one client saw: the events themselves where it had them, else their seqs. */
export interface ReaderHistory {
  /** The cursor it attached with. */
  readonly after: number
  readonly seen: readonly SeenEvent[]
  /** Whether it was shown every event after its cursor, or only those that its protocol has a word for. */
  readonly isGapless: boolean
  readonly deltas?: readonly SeenDelta[]
  readonly wholes?: readonly SeenWhole[]
}

/** Text that a client saw while it was written, in the order in which it saw it. */
export type SeenDelta = Pick<BlockDelta, 'stepSeq' | 'block' | 'offset' | 'text'>

/** Text that a client saw in one piece, with the event that recorded it. */
export interface SeenWhole {
  readonly seq: number
  readonly text: string
}

export interface SeenEvent {
  readonly seq: number
  readonly event?: RecordedEvent
  /** What it can only be, where the client's protocol shows it in words of its own. */
  readonly types?: readonly RecordedEvent['type'][]
}

export type Invariant = 'I1' | 'I2' | 'I3' | 'I4' | 'I5' | 'I6' | 'I7' | 'I8' | 'I9'

export interface Violation {
  readonly invariant: Invariant
  readonly message: string
}
