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
  /** What has to be there before an event can be told; `undefined` for nothing. Contract: never rejects. */
  prepare(recorded: Recorded): Promise<void> | undefined
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
  readonly #watchers: (() => void)[] = []
  #attachment: Attachment | undefined
  #lastSeq = 0
  #isPaused = false
  #isClosed = false
  #holds = 0
  #isPreparing = false
  #waiting: Item[] = []

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
      if (!this.#isPaused) {
        this.#attachment = attachment
        return this.#pastTold()
      }
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
      this.#move()
    }
  }

  /** Nothing more is told. Idempotent. */
  close(): void {
    this.#isClosed = true
    this.#attachment?.detach()
    this.#move()
  }

  #recorded(recorded: Recorded): void | 'enough' {
    if (this.#isClosed || this.#isPaused || recorded.seq <= this.#lastSeq) return undefined
    this.#lastSeq = recorded.seq
    return this.#take({ type: 'recorded', recorded })
  }

  #take(item: Item): void | 'enough' {
    if (this.#isClosed || this.#isPaused) return undefined
    this.#waiting.push(item)
    this.#move()
    return this.#pauseIfFull()
  }

  /** Tells what may be told now, in order. */
  #move(): void {
    for (let item = this.#waiting[0]; item !== undefined && this.#mayTell(item); item = this.#waiting[0]) {
      const preparation = item.type === 'recorded' ? this.#options.prepare(item.recorded) : undefined
      if (preparation === undefined) this.#tellFirst()
      else {
        this.#isPreparing = true
        void preparation.then(() => {
          this.#isPreparing = false
          this.#tellFirst()
          this.#move()
        })
      }
    }
    if (this.#isClosed) this.#waiting = []
    for (const resume of this.#watchers.splice(0)) resume()
  }

  #mayTell(item: Item): boolean {
    return !this.#isClosed && !this.#isPreparing && (this.#holds === 0 || this.#isPast(item))
  }

  #isPast(item: Item): boolean {
    return item.type === 'recorded' && item.recorded.seq <= this.#options.pastSeq
  }

  async #pastTold(): Promise<void> {
    while (this.#waiting[0] !== undefined && this.#isPast(this.#waiting[0])) {
      await new Promise<void>((resume) => this.#watchers.push(resume))
    }
  }

  #tellFirst(): void {
    const item = this.#waiting.shift()
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
    this.#move()
    this.#options.closed(reason)
  }
}
