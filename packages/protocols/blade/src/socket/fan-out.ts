/** Small packets to so many sockets are written in about a millisecond. Between two pieces, other work runs. */
const PIECE = 64
/** Large packets go to fewer sockets at a time: the kernel copies all of their bytes. */
const PIECE_BYTES = 4 * 1024 * 1024

type Tell = (ids: Set<string>) => void

interface Job {
  /** Sockets that have not been told yet. */
  readonly left: Set<string>
  readonly piece: number
  readonly tell: Tell
}

/**
 * Tells many sockets in pieces and few at once. Each socket is told everything in order; `flush` brings one up to date
 * before it is told something else.
 */
export class FanOut {
  readonly #jobs: Job[] = []
  readonly #later: (run: () => void) => void
  #isTelling = false

  constructor(later: (run: () => void) => void = setImmediate) {
    this.#later = later
  }

  /** `bytes`: how much each of them is told. */
  tell(ids: Set<string>, tell: Tell, bytes = 0): void {
    const piece = Math.max(1, Math.min(PIECE, Math.floor(PIECE_BYTES / Math.max(1, bytes))))
    if (ids.size <= piece && !this.#isWaiting(ids)) {
      if (ids.size > 0) tell(ids)
      return
    }
    this.#jobs.push({ left: ids, piece, tell })
    if (this.#jobs.length === 1) this.#later(() => this.#go())
  }

  /** Does nothing while a piece is told: the packet that causes this call is that piece. */
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
      if (piece.size === job.piece) break
      piece.add(id)
      job.left.delete(id)
    }
    if (job.left.size === 0) this.#jobs.shift()
    this.#tell(piece, job.tell)
  }

  /** All sockets of a piece may have been flushed already. */
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
