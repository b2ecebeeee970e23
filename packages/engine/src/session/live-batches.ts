import type { BlockDelta, LiveBatch } from '../events/live-event.ts'
import type { EntryId } from '../ids.ts'
import type { Clock, Timer } from '../ports/clock.ts'

/** The longest time that later pieces of a step are buffered. */
const BATCH_MS = 50
/** How many numbers are reserved at a time. */
export const RESERVED_AHEAD = 64

interface Pending {
  readonly first: BlockDelta
  text: string
}

/** Numbers up to `recorded` are used. */
export interface BatchStart {
  readonly recorded: number
}

/**
 * Groups the deltas of a session into numbered batches. A number is used only after the log or a draft has reserved it,
 * so that a number is never reused after a crash.
 */
export class LiveBatches {
  readonly #clock: Clock
  readonly #deliver: (batch: LiveBatch) => void
  #pending: Pending[] = []
  /** Steps that have sent their first piece. */
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

  get count(): number {
    return this.#count
  }

  /** The number up to which the next draft or step should reserve. */
  get wanted(): number {
    return this.#count + RESERVED_AHEAD
  }

  /** Whether buffered deltas wait for more numbers to be reserved. */
  get isShort(): boolean {
    return this.#count + this.#pending.length > this.#reserved
  }

  /** The reservation of numbers up to this one is durable. */
  reserve(upTo: number): void {
    this.#reserved = Math.max(this.#reserved, upTo)
  }

  /** The log says that numbers up to this one are used. */
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

  /** Sends everything that is buffered, as far as numbers are reserved. */
  flush(): void {
    while (this.#pending.length > 0 && this.#count < this.#reserved) {
      const [{ first, text }] = this.#pending as [Pending, ...Pending[]]
      this.#pending.shift()
      this.#begun.add(first.stepId)
      this.#deliver({ ...first, text, number: ++this.#count })
    }
  }

  /** The position in a step where the unsent text starts. */
  unsentOf(stepId: EntryId): { readonly block: number; readonly offset: number } | undefined {
    return this.#pending.find(({ first }) => first.stepId === stepId)?.first
  }

  end(stepId: EntryId): void {
    this.#begun.delete(stepId)
    this.#pending = this.#pending.filter(({ first }) => first.stepId !== stepId)
  }

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
