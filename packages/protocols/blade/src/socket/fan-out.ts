/** Written in about a millisecond; whoever else has something to do comes between two pieces. */
const PIECE = 64

type Tell = (ids: Set<string>) => void

interface Job {
  /** Who was not told yet. */
  readonly left: Set<string>
  readonly tell: Tell
}

/**
 * Tells many in pieces, few at once. Each is told everything in order; `flush` brings one up to date who is to be told
 * something else.
 */
export class FanOut {
  readonly #jobs: Job[] = []
  readonly #later: (run: () => void) => void
  #isTelling = false

  constructor(later: (run: () => void) => void = setImmediate) {
    this.#later = later
  }

  tell(ids: Set<string>, tell: Tell): void {
    if (ids.size <= PIECE && !this.#isWaiting(ids)) {
      if (ids.size > 0) tell(ids)
      return
    }
    this.#jobs.push({ left: ids, tell })
    if (this.#jobs.length === 1) this.#later(() => this.#go())
  }

  /** While somebody is being told, this is what they are told: there is nothing to bring forward. */
  flush(id: string): void {
    if (this.#jobs.length === 0 || this.#isTelling) return
    for (const { left, tell } of this.#jobs) if (left.delete(id)) this.#tell(new Set([id]), tell)
  }

  flushAll(): void {
    while (this.#jobs.length > 0) this.#step()
  }

  #isWaiting(ids: ReadonlySet<string>): boolean {
    for (const { left } of this.#jobs) for (const id of ids) if (left.has(id)) return true
    return false
  }

  #go(): void {
    this.#step()
    if (this.#jobs.length > 0) this.#later(() => this.#go())
  }

  #step(): void {
    const [job] = this.#jobs
    if (job === undefined) return
    const piece = new Set<string>()
    for (const id of job.left) {
      if (piece.size === PIECE) break
      piece.add(id)
      job.left.delete(id)
    }
    if (job.left.size === 0) this.#jobs.shift()
    this.#tell(piece, job.tell)
  }

  /** All of a piece may have been told before. An empty set of rooms would mean everybody. */
  #tell(ids: Set<string>, tell: Tell): void {
    if (ids.size === 0) return
    this.#isTelling = true
    try {
      tell(ids)
    } finally {
      this.#isTelling = false
    }
  }
}
