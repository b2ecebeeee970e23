/** Small packets to this many sockets are written in about a millisecond. Between two pieces, other work runs. */
const PIECE = 64
/** A packet of this size is written to a few sockets at a time: the kernel copies its bytes during the write. */
const LARGE_BYTES = 256 * 1024
const MOST_LARGE = 8
/** A socket that takes longer gives way to the next one. Its packet stays on the way. */
const TURN_MS = 100

type Write = (id: string) => void

interface Item {
  readonly write: Write
  readonly bytes: number
}

export interface FanOutDeps {
  /** Default: `setImmediate`. */
  later?(run: () => void): void
  /** Default: `setTimeout`. */
  after?(ms: number, run: () => void): void
  /** Called with the bytes that wait here for a socket, whenever they change. */
  holds?(id: string, bytes: number): void
}

/**
 * Writes packets to many sockets in pieces, and to few at once. Every socket gets its packets in order. Large packets go
 * to a few sockets at a time, and a socket gets nothing more while a large packet is on its way.
 */
export class FanOut {
  readonly #queues = new Map<string, Item[]>()
  /** Sockets with a queue whose next packet can be written, in the order of their turns. */
  readonly #ready = new Set<string>()
  /** Sockets whose next packet is large. */
  readonly #waiting = new Set<string>()
  /** Sockets that have not taken their large packet yet, each with the time of its turn. */
  readonly #sending = new Map<string, symbol>()
  /** Those of them that count. */
  readonly #turns = new Set<symbol>()
  readonly #held = new Map<string, number>()
  readonly #later: (run: () => void) => void
  readonly #after: (ms: number, run: () => void) => void
  readonly #holds: (id: string, bytes: number) => void
  #isScheduled = false
  #isWriting = false

  constructor({ later = setImmediate, after, holds }: FanOutDeps = {}) {
    this.#later = later
    this.#after = after ?? ((ms, run) => void setTimeout(run, ms).unref())
    this.#holds = holds ?? (() => undefined)
  }

  /** `bytes`: the size of the packet. */
  tell(ids: ReadonlySet<string>, write: Write, bytes = 0): void {
    const isLarge = bytes >= LARGE_BYTES
    const free = isLarge ? MOST_LARGE - this.#turns.size : PIECE
    if (ids.size <= free && !this.#isBusy(ids)) {
      for (const id of ids) this.#write(id, { write, bytes })
      return
    }
    for (const id of ids) this.#enqueue(id, { write, bytes })
    this.#schedule()
  }

  /** Whether packets wait here for the socket. */
  isWaiting(id: string): boolean {
    return this.#queues.has(id)
  }

  /** Writes everything that waits for one socket. Does nothing while a packet is written, which may cause this call. */
  flush(id: string): void {
    if (this.#isWriting) return
    for (let item = this.#take(id); item !== undefined; item = this.#take(id)) this.#write(id, item)
  }

  flushAll(): void {
    for (const id of [...this.#queues.keys()]) this.flush(id)
  }

  /** The socket has taken all that was written to it. */
  drained(id: string): void {
    const turn = this.#sending.get(id)
    if (turn === undefined) return
    this.#turns.delete(turn)
    this.#sending.delete(id)
    this.#sort(id)
    this.#schedule()
  }

  /** The socket has ended. */
  gone(id: string): void {
    this.#queues.delete(id)
    this.#held.delete(id)
    this.drained(id)
    this.#ready.delete(id)
    this.#waiting.delete(id)
  }

  #isBusy(ids: ReadonlySet<string>): boolean {
    if (this.#queues.size === 0 && this.#sending.size === 0) return false
    for (const id of ids) if (this.#queues.has(id) || this.#sending.has(id)) return true
    return false
  }

  #enqueue(id: string, item: Item): void {
    const queue = this.#queues.get(id)
    if (queue === undefined) {
      this.#queues.set(id, [item])
      this.#sort(id)
    } else queue.push(item)
    this.#hold(id, item.bytes)
  }

  #take(id: string): Item | undefined {
    const queue = this.#queues.get(id)
    const item = queue?.shift()
    if (queue?.length === 0) this.#queues.delete(id)
    this.#ready.delete(id)
    this.#waiting.delete(id)
    if (item !== undefined) this.#hold(id, -item.bytes)
    return item
  }

  #hold(id: string, bytes: number): void {
    if (bytes === 0) return
    const held = (this.#held.get(id) ?? 0) + bytes
    if (held === 0) this.#held.delete(id)
    else this.#held.set(id, held)
    this.#holds(id, held)
  }

  /** Puts a socket where it waits for its next turn. */
  #sort(id: string): void {
    const next = this.#queues.get(id)?.[0]
    if (next === undefined || this.#sending.has(id)) return
    if (next.bytes >= LARGE_BYTES) this.#waiting.add(id)
    else this.#ready.add(id)
  }

  #schedule(): void {
    const canGo = this.#ready.size > 0 || (this.#waiting.size > 0 && this.#turns.size < MOST_LARGE)
    if (this.#isScheduled || !canGo) return
    this.#isScheduled = true
    this.#later(() => {
      this.#isScheduled = false
      this.#step()
      this.#schedule()
    })
  }

  #step(): void {
    let count = 0
    for (const id of this.#ready) {
      if (count++ === PIECE) break
      this.#writeNext(id)
    }
    // One at a time: each write can copy megabytes.
    const [large] = this.#waiting
    if (large !== undefined && this.#turns.size < MOST_LARGE) this.#writeNext(large)
  }

  #writeNext(id: string): void {
    const item = this.#take(id)
    if (item !== undefined) this.#write(id, item)
    this.#sort(id)
  }

  #write(id: string, { write, bytes }: Item): void {
    if (bytes >= LARGE_BYTES) this.#startTurn(id)
    const wasWriting = this.#isWriting
    this.#isWriting = true
    try {
      write(id)
    } finally {
      this.#isWriting = wasWriting
    }
  }

  #startTurn(id: string): void {
    const turn = Symbol(id)
    const earlier = this.#sending.get(id)
    if (earlier !== undefined) this.#turns.delete(earlier)
    this.#sending.set(id, turn)
    this.#turns.add(turn)
    this.#after(TURN_MS, () => {
      if (this.#turns.delete(turn)) this.#schedule()
    })
  }
}
