import type { Pace } from '@polylogue/engine'

/** Largest write. Small frames are joined up to this length. */
const WRITE_LENGTH = 64 * 1024

export interface OutQueueOptions {
  readonly output: WritableStream<Uint8Array>
  /** The queue is full at this length. */
  readonly fullAt: number
  /** At this length the connection breaks: the client sends requests and never reads. */
  readonly breaksAt: number
  /** Called once, when the other side stops reading. */
  broken(error: unknown): void
}

/** The only writer of a connection. Frames leave in the order in which they were written. */
export class OutQueue implements Pace {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>
  readonly #options: OutQueueOptions
  #frames: string[] = []
  /** In UTF-16 units, which is close to the number of bytes. */
  #waiting = 0
  #isPumping = false
  #isBroken = false
  #isEnded = false
  #watchers: (() => void)[] = []

  constructor(options: OutQueueOptions) {
    this.#options = options
    this.#writer = options.output.getWriter()
    this.#writer.closed.catch((error: unknown) => this.#break(error))
  }

  get isFull(): boolean {
    return this.#waiting >= this.#options.fullAt
  }

  write(frame: string): void {
    if (this.#isBroken || this.#isEnded) return
    this.#frames.push(frame, '\n')
    this.#waiting += frame.length + 1
    if (this.#waiting > this.#options.breaksAt) return this.#break(new Error('the client does not read'))
    if (!this.#isPumping) void this.#pump()
  }

  /** Resolves when the queue is not full, or when the connection ends. */
  async room(): Promise<void> {
    while (this.isFull && !this.#isBroken && !this.#isEnded) await this.#change()
  }

  /** Resolves when everything is written, or when the connection breaks. */
  async flushed(): Promise<void> {
    while (this.#waiting > 0 && !this.#isBroken) await this.#change()
  }

  /** Closes the queue. Resolves when the other side has read everything, or when the connection breaks. Idempotent. */
  async end(): Promise<void> {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#frames = []
    this.#tell()
    if (this.#isBroken) return
    await this.#writer.close().catch((error: unknown) => this.#break(error))
  }

  /** Like `end`, for a client that does not read. Idempotent. */
  abort(): void {
    this.#isEnded = true
    this.#break(new Error('the connection was closed'))
  }

  async #pump(): Promise<void> {
    this.#isPumping = true
    // Join frames that are written in the same tick.
    await Promise.resolve()
    while (this.#frames.length > 0 && !this.#isBroken) {
      const text = this.#take()
      try {
        await this.#writer.write(Buffer.from(text))
      } catch (error) {
        this.#break(error)
      }
      this.#waiting -= text.length
      this.#tell()
    }
    this.#isPumping = false
  }

  #take(): string {
    let length = 0
    let count = 0
    while (count < this.#frames.length && length < WRITE_LENGTH) length += this.#frames[count++]?.length ?? 0
    return this.#frames.splice(0, count).join('')
  }

  #break(error: unknown): void {
    if (this.#isBroken) return
    this.#isBroken = true
    this.#frames = []
    this.#tell()
    // The writer may be closed already.
    this.#writer.abort(error).catch(() => undefined)
    if (!this.#isEnded) this.#options.broken(error)
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#watchers.push(resolve))
  }

  #tell(): void {
    const watchers = this.#watchers
    this.#watchers = []
    for (const resume of watchers) resume()
  }
}
