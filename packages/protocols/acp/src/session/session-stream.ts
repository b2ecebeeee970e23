import {
  EngineError,
  type Attachment,
  type BlockDelta,
  type Engine,
  type LogEntry,
  type Recorded,
  type SessionId,
  type SessionReader,
  type ToolProgress,
  type UserId,
} from '@polylogue/engine'

/** How far the way out is free. */
export interface Outlet {
  readonly isFull: boolean
  room(): Promise<void>
}

export interface StreamOptions {
  readonly engine: Engine
  readonly userId: UserId
  readonly sessionId: SessionId
  readonly outlet: Outlet
  /** Events up to here are the past: they are told whatever else waits. */
  readonly pastSeq: number
  recorded(recorded: Recorded): void
  delta(delta: BlockDelta): void
  progress(progress: ToolProgress): void
  /** The output of running tools is told again from its beginning. */
  restarted(): void
  closed(reason: 'deleted' | 'stopping'): void
  log(entry: LogEntry): void
}

type Item =
  | { readonly type: 'recorded'; readonly recorded: Recorded }
  | { readonly type: 'delta'; readonly delta: BlockDelta }
  | { readonly type: 'progress'; readonly progress: ToolProgress }

/**
 * What happens in a session, in order and once. It stops while the client does not read and goes on where it was; and it
 * can be held, so that what follows from a command waits until its answer is known.
 */
export class SessionStream {
  readonly #options: StreamOptions
  readonly #reader: SessionReader
  #attachment: Attachment | undefined
  #lastSeq = 0
  #isPaused = false
  #isClosed = false
  #holds = 0
  #held: Item[] = []

  constructor(options: StreamOptions) {
    this.#options = options
    this.#reader = {
      recorded: (recorded) => this.#recorded(recorded),
      delta: (delta) => this.#take({ type: 'delta', delta }),
      progress: (progress) => this.#take({ type: 'progress', progress }),
      closed: (reason) => this.#end(reason),
    }
  }

  /** Resolves when the past has been told. Rejects when the session cannot be read. */
  async open(): Promise<void> {
    for (;;) {
      const { engine, userId, sessionId, outlet } = this.#options
      const attachment = await engine.attach(userId, sessionId, { seq: this.#lastSeq }, this.#reader)
      if (this.#isClosed) return attachment.detach()
      this.#attachment = attachment
      if (!this.#isPaused) return
      attachment.detach()
      await outlet.room()
      this.#isPaused = false
    }
  }

  /** What happens waits until every hold has been released. */
  hold(): () => void {
    this.#holds += 1
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.#holds -= 1
      while (this.#holds === 0 && this.#held.length > 0) this.#deliver(this.#held.shift())
    }
  }

  /** Nothing more is told. Idempotent. */
  close(): void {
    this.#isClosed = true
    this.#held = []
    this.#attachment?.detach()
  }

  #recorded(recorded: Recorded): void | 'enough' {
    if (this.#isClosed || this.#isPaused || recorded.seq <= this.#lastSeq) return undefined
    this.#lastSeq = recorded.seq
    if (recorded.seq <= this.#options.pastSeq) this.#options.recorded(recorded)
    else this.#take({ type: 'recorded', recorded })
    return this.#pauseIfFull()
  }

  #take(item: Item): void {
    if (this.#isClosed || this.#isPaused) return
    if (this.#holds > 0) this.#held.push(item)
    else this.#deliver(item)
    this.#pauseIfFull()
  }

  #deliver(item: Item | undefined): void {
    if (this.#isClosed || item === undefined) return
    switch (item.type) {
      case 'recorded':
        return this.#options.recorded(item.recorded)
      case 'delta':
        return this.#options.delta(item.delta)
      case 'progress':
        return this.#options.progress(item.progress)
    }
  }

  #pauseIfFull(): void | 'enough' {
    if (!this.#options.outlet.isFull || this.#isPaused) return undefined
    this.#isPaused = true
    // While the past is read there is no attachment yet: `open` comes back by itself.
    const attachment = this.#attachment
    if (attachment !== undefined) void this.#comeBack(attachment)
    return 'enough'
  }

  async #comeBack(attachment: Attachment): Promise<void> {
    this.#attachment = undefined
    attachment.detach()
    await this.#options.outlet.room()
    this.#isPaused = false
    if (this.#isClosed) return
    this.#options.restarted()
    try {
      await this.open()
    } catch (error) {
      if (error instanceof EngineError && error.code === 'session-not-found') return this.#end('deleted')
      this.#options.log({ level: 'error', message: 'a session could not be read again', error })
      this.#end('stopping')
    }
  }

  #end(reason: 'deleted' | 'stopping'): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#options.closed(reason)
  }
}
