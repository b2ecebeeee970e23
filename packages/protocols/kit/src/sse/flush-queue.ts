export interface Flushable {
  /** When it was flushed last, as `performance.now()` tells it. 0: never. Set by the queue. */
  flushedAt: number
  /** Must not wait for more: it ends, or has much to write. */
  readonly isUrgent: boolean
  flush(): void
}

/** Too short for a reader to notice. Within it, one system call carries all deltas of a fast model. */
const GATHER_MS = 2

/**
 * Gathers what connections have to write, because the system call is what a delta costs. The first bytes of a connection
 * leave at once. Later ones leave at the end of the turn of the event loop, but not within two milliseconds of the
 * flush before.
 */
export class FlushQueue {
  #dirty: Flushable[] = []
  #fresh: Flushable[] = []
  #isScheduled = false
  #timer: NodeJS.Timeout | undefined

  /** `connection` has something to write. Added once before each flush. */
  add(connection: Flushable): void {
    if (connection.flushedAt > 0) {
      this.#dirty.push(connection)
      this.#schedule()
    } else if (this.#fresh.push(connection) === 1) queueMicrotask(() => this.#flushFresh())
  }

  /** A connection that was added has become urgent. */
  hurry(): void {
    this.#schedule()
  }

  #flushFresh(): void {
    const fresh = this.#fresh
    this.#fresh = []
    const now = performance.now()
    for (const connection of fresh) flushAt(connection, now)
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#run()
    })
  }

  #run(): void {
    const dirty = this.#dirty
    this.#dirty = []
    const now = performance.now()
    for (const connection of dirty) {
      if (connection.isUrgent || now - connection.flushedAt >= GATHER_MS) flushAt(connection, now)
      else this.#dirty.push(connection)
    }
    if (this.#dirty.length === 0 || this.#timer !== undefined) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#run()
    }, GATHER_MS)
  }
}

function flushAt(connection: Flushable, now: number): void {
  connection.flushedAt = now
  connection.flush()
}
