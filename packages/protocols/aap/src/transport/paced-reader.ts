import type { BlockDelta, Recorded, SessionReader } from '@polylogue/engine'

/** How fast a client takes what it is told. */
export interface Pace {
  readonly isCongested: boolean
  /** Resolves when the client has caught up, or is gone. */
  drained(): Promise<void>
}

/** A client that gets one answer at the end takes everything. */
export const UNHURRIED: Pace = { isCongested: false, drained: () => Promise.resolve() }

/** Passes the past on until the client lags behind, and nothing after that; what is live always passes. */
export class PacedReader implements SessionReader {
  readonly #reader: SessionReader
  readonly #pace: Pace
  #phase: 'past' | 'held' | 'live' = 'past'
  lastSeq: number

  constructor(reader: SessionReader, pace: Pace, lastSeq: number) {
    this.#reader = reader
    this.#pace = pace
    this.lastSeq = lastSeq
  }

  /** The past has been read; `false` when it was not passed on to its end. */
  goLive(): boolean {
    if (this.#phase === 'held') return false
    this.#phase = 'live'
    return true
  }

  recorded(recorded: Recorded): void {
    if (this.#phase === 'held') return
    this.#reader.recorded(recorded)
    if (this.#phase === 'live') return
    this.lastSeq = recorded.seq
    if (this.#pace.isCongested) this.#phase = 'held'
  }

  delta(delta: BlockDelta): void {
    if (this.#phase !== 'held') this.#reader.delta(delta)
  }

  closed(reason: 'deleted' | 'stopping'): void {
    this.#reader.closed(reason)
  }
}
