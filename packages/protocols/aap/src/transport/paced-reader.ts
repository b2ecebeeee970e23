import type { BlockDelta, Recorded, SessionReader } from '@polylogue/engine'

/** How fast a client takes what it is told. */
export interface Pace {
  readonly isCongested: boolean
  /** Resolves when the client has caught up, or is gone. Who reads the past may take long; who falls behind, may not. */
  drained(reading: 'past' | 'live'): Promise<void>
  /** Called when more has piled up than the client may have waiting. */
  onStalled(run: () => void): void
}

/** A client that gets one answer at the end takes everything. */
export const UNHURRIED: Pace = {
  isCongested: false,
  drained: () => Promise.resolve(),
  onStalled: () => undefined,
}

/** Passes the past on until the client lags behind, and nothing after that; what is live always passes. */
export class PacedReader implements SessionReader {
  readonly reader: SessionReader
  readonly #pace: Pace
  #phase: 'past' | 'held' | 'live' = 'past'
  lastSeq: number

  constructor(reader: SessionReader, pace: Pace, lastSeq: number) {
    this.reader = reader
    this.#pace = pace
    this.lastSeq = lastSeq
  }

  /** The past has been read; `false` when it was not passed on to its end. */
  goLive(): boolean {
    if (this.#phase === 'held') return false
    this.#phase = 'live'
    return true
  }

  recorded(recorded: Recorded): void | 'enough' {
    if (this.#phase === 'held') return 'enough'
    // First: a stall in the middle of this event finds it told, for nothing stops its other frames.
    this.lastSeq = recorded.seq
    this.reader.recorded(recorded)
    if (this.#phase !== 'past' || !this.#pace.isCongested) return
    this.#phase = 'held'
    return 'enough'
  }

  delta(delta: BlockDelta): void {
    if (this.#phase !== 'held') this.reader.delta(delta)
  }

  closed(reason: 'deleted' | 'stopping'): void {
    this.reader.closed(reason)
  }
}
