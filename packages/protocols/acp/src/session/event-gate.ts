import type { BlockDelta, CallInput, Recorded, StepRetry, ToolProgress } from '@polylogue/engine'

export interface EventGateOptions {
  /** Events up to this one are history. They pass a closed gate. */
  readonly pastSeq: number
  /** Loads what an event needs before it passes. `undefined`: nothing to load. Contract: never rejects. */
  prepare(recorded: Recorded): Promise<void> | undefined
  recorded(recorded: Recorded): void
  delta(delta: BlockDelta): void
  progress(progress: ToolProgress): void
  input(input: CallInput): void
  retrying(retry: StepRetry): void
}

export type GateItem =
  | { readonly type: 'recorded'; readonly recorded: Recorded }
  | { readonly type: 'delta'; readonly delta: BlockDelta }
  | { readonly type: 'progress'; readonly progress: ToolProgress }
  | { readonly type: 'input'; readonly input: CallInput }
  | { readonly type: 'retrying'; readonly retry: StepRetry }

/**
 * Passes the events of a session on, in order. Events wait while the gate is held, so that the effects of a command follow
 * its answer, and while an earlier event is being prepared.
 */
export class EventGate {
  readonly #options: EventGateOptions
  readonly #watchers: (() => void)[] = []
  #holds = 0
  #isPreparing = false
  #isClosed = false
  #waiting: GateItem[] = []

  constructor(options: EventGateOptions) {
    this.#options = options
  }

  push(item: GateItem): void {
    if (this.#isClosed) return
    this.#waiting.push(item)
    this.#move()
  }

  /** Live events wait until every hold is released. */
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

  /** Resolves when no history waits. */
  async pastPassed(): Promise<void> {
    while (this.#waiting[0] !== undefined && this.#isPast(this.#waiting[0])) {
      await new Promise<void>((resume) => this.#watchers.push(resume))
    }
  }

  /** Drops the waiting events and all later ones. Idempotent. */
  close(): void {
    this.#isClosed = true
    this.#move()
  }

  #move(): void {
    for (let item = this.#waiting[0]; item !== undefined && this.#mayPass(item); item = this.#waiting[0]) {
      const preparation = item.type === 'recorded' ? this.#options.prepare(item.recorded) : undefined
      if (preparation === undefined) this.#passFirst()
      else {
        this.#isPreparing = true
        void preparation.then(() => {
          this.#isPreparing = false
          this.#passFirst()
          this.#move()
        })
      }
    }
    if (this.#isClosed) this.#waiting = []
    for (const resume of this.#watchers.splice(0)) resume()
  }

  #mayPass(item: GateItem): boolean {
    return !this.#isClosed && !this.#isPreparing && (this.#holds === 0 || this.#isPast(item))
  }

  #isPast(item: GateItem): boolean {
    return item.type === 'recorded' && item.recorded.seq <= this.#options.pastSeq
  }

  #passFirst(): void {
    const item = this.#waiting.shift()
    if (this.#isClosed || item === undefined) return
    switch (item.type) {
      case 'recorded':
        return this.#options.recorded(item.recorded)
      case 'delta':
        return this.#options.delta(item.delta)
      case 'progress':
        return this.#options.progress(item.progress)
      case 'input':
        return this.#options.input(item.input)
      case 'retrying':
        return this.#options.retrying(item.retry)
    }
  }
}
