import type { BlockDelta, LiveBatch } from '../events/live-event.ts'
import type { EntryId } from '../ids.ts'
import type { Clock, Timer } from '../ports/clock.ts'

/** Later pieces of a step wait at most this long for company. */
const BATCH_MS = 50
/** How many numbers are reserved at a time. */
export const RESERVED_AHEAD = 64

interface Pending {
  readonly first: BlockDelta
  text: string
}

/** What may be used of the numbers: those up to `recorded` are taken. */
export interface BatchStart {
  readonly recorded: number
}

/**
 * Puts the deltas of a session together into numbered batches. A number is used only when the log or a draft says that
 * it may have been, so that after a crash it is never used again.
 */
export class LiveBatches {
  readonly #clock: Clock
  readonly #deliver: (batch: LiveBatch) => void
  #pending: Pending[] = []
  /** Steps whose first piece has gone out. */
  readonly #begun = new Set<EntryId>()
  #timer: Timer | undefined
  #count: number
  #reserved: number

  constructor(clock: Clock, { recorded }: BatchStart, deliver: (batch: LiveBatch) => void) {
    this.#clock = clock
    this.#deliver = deliver
    this.#count = recorded
    this.#reserved = recorded
  }

  /** The number of the newest batch. */
  get count(): number {
    return this.#count
  }

  /** The number up to which the next draft or step should reserve. */
  get wanted(): number {
    return this.#count + RESERVED_AHEAD
  }

  /** Whether what waits cannot go out before more numbers are reserved. */
  get isShort(): boolean {
    return this.#count + this.#pending.length > this.#reserved
  }

  /** It is on disk that numbers up to this one may have been used. */
  reserve(upTo: number): void {
    this.#reserved = Math.max(this.#reserved, upTo)
  }

  /** The log says that numbers up to this one are taken. */
  skipTo(number: number): void {
    this.#count = Math.max(this.#count, number)
  }

  add(delta: BlockDelta): void {
    const { stepId, block } = delta
    const last = this.#pending.findLast(({ first }) => first.stepId === stepId)
    if (last?.first.block === block) last.text += delta.text
    else this.#pending.push({ first: delta, text: delta.text })
    if (!this.#begun.has(stepId)) this.flush()
    if (this.#pending.length > 0) this.#schedule()
  }

  /** Everything that waits goes out now, as far as there are numbers. */
  flush(): void {
    while (this.#pending.length > 0 && this.#count < this.#reserved) {
      const [{ first, text }] = this.#pending as [Pending, ...Pending[]]
      this.#pending.shift()
      this.#begun.add(first.stepId)
      this.#deliver({ ...first, text, number: ++this.#count })
    }
  }

  /** Where in a step the text begins that has not gone out. */
  unsentOf(stepId: EntryId): { readonly block: number; readonly offset: number } | undefined {
    return this.#pending.find(({ first }) => first.stepId === stepId)?.first
  }

  end(stepId: EntryId): void {
    this.#begun.delete(stepId)
    this.#pending = this.#pending.filter(({ first }) => first.stepId !== stepId)
  }

  /** Nobody listens any more. */
  rest(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#pending = []
    this.#begun.clear()
  }

  #schedule(): void {
    this.#timer ??= this.#clock.setTimer(BATCH_MS, () => {
      this.#timer = undefined
      this.flush()
      if (this.#pending.length > 0) this.#schedule()
    })
  }
}
