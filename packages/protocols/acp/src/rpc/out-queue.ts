/** How much of what waits goes out in one write. */
const WRITE_LENGTH = 64 * 1024

export interface OutQueueOptions {
  readonly output: WritableStream<Uint8Array>
  /** From here on the queue is full. */
  readonly fullAt: number
  /** A client that asks and asks and never reads is let go here. */
  readonly breaksAt: number
  /** Called once, when the other side does not take anything any more. */
  broken(error: unknown): void
}

/** The one way out of a connection: frames leave in the order in which they were written. */
export class OutQueue {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>
  readonly #options: OutQueueOptions
  #frames: string[] = []
  /** In UTF-16 units, roughly the bytes. */
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

  /** Resolves when there is room, or when there will never be any. */
  async room(): Promise<void> {
    while (this.isFull && !this.#isBroken && !this.#isEnded) await this.#change()
  }

  /** Resolves when everything has been taken, or never will be. */
  async flushed(): Promise<void> {
    while (this.#waiting > 0 && !this.#isBroken) await this.#change()
  }

  /** Nothing is written any more. Resolves when the other side has taken what it was given, or never will. Idempotent. */
  async end(): Promise<void> {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#frames = []
    this.#tell()
    if (this.#isBroken) return
    await this.#writer.close().catch((error: unknown) => this.#break(error))
  }

  /** As `end`, for a side that takes nothing any more. Idempotent. */
  abort(): void {
    this.#isEnded = true
    this.#break(new Error('the connection ends'))
  }

  async #pump(): Promise<void> {
    this.#isPumping = true
    // What is written in the same tick goes out together.
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
    // It may be broken from the other side, and is no use to anybody then either.
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
