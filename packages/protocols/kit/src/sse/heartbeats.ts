import type { Clock, Timer } from '@polylogue/engine'

export interface Beating {
  /** A hundredth of the interval has passed. */
  beat(): void
}

/** How many beats without a word make the interval of silence after which a stream says that it is there. */
export const BEATS = 100

/** One timer for all streams: of its own, each would keep half a kilobyte for it. */
export class Heartbeats {
  readonly #clock: Clock
  readonly #beatMs: number
  readonly #streams = new Set<Beating>()
  #timer: Timer | undefined

  constructor(clock: Clock, intervalMs: number) {
    this.#clock = clock
    this.#beatMs = intervalMs / BEATS
  }

  add(stream: Beating): void {
    this.#streams.add(stream)
    if (this.#timer === undefined) this.#schedule()
  }

  remove(stream: Beating): void {
    this.#streams.delete(stream)
    if (this.#streams.size > 0) return
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #schedule(): void {
    this.#timer = this.#clock.setTimer(this.#beatMs, () => {
      this.#schedule()
      for (const stream of this.#streams) stream.beat()
    })
  }
}
