import type { EntryId, Failure, RecordedEvent, TurnId, TurnOutcome, Usage } from '@polylogue/engine'

/** How a turn of this connection ended, for the answer to its prompt. */
export interface TurnEnd {
  readonly outcome: TurnOutcome
  readonly error?: Failure
  readonly usage?: Usage
}

interface OwnTurn {
  readonly ended: Promise<TurnEnd>
  usage?: Usage
  end(end: TurnEnd): void
}

const CANCELLED: TurnEnd = { outcome: 'cancelled' }

/** Open turns that this connection started. */
export class OwnTurns {
  readonly #turns = new Map<TurnId, OwnTurn>()
  /** Queued inputs, by id. */
  readonly #queued = new Map<EntryId, TurnId>()
  #running: TurnId | undefined

  get size(): number {
    return this.#turns.size
  }

  ids(): readonly TurnId[] {
    return [...this.#turns.keys()]
  }

  has(turnId: TurnId): boolean {
    return this.#turns.has(turnId)
  }

  /** The active turn, if this connection started it. */
  get active(): TurnId | undefined {
    return this.#running !== undefined && this.has(this.#running) ? this.#running : undefined
  }

  add(turnId: TurnId): Promise<TurnEnd> {
    const known = this.#turns.get(turnId)
    if (known !== undefined) return known.ended
    const { promise, resolve } = Promise.withResolvers<TurnEnd>()
    this.#turns.set(turnId, { ended: promise, end: resolve })
    return promise
  }

  /** Returns `undefined` when the turn has ended. */
  ended(turnId: TurnId): Promise<TurnEnd> | undefined {
    return this.#turns.get(turnId)?.ended
  }

  end(turnId: TurnId, end: TurnEnd): void {
    const turn = this.#turns.get(turnId)
    turn?.end({ ...end, ...(turn.usage && { usage: turn.usage }) })
    this.#turns.delete(turnId)
  }

  /** Counts the model calls of the turn, with those of sub-agents and compactions. */
  #count(turnId: TurnId | undefined, usage: Usage | undefined): void {
    const turn = turnId && this.#turns.get(turnId)
    if (turn && usage) turn.usage = turn.usage === undefined ? usage : addUsage(turn.usage, usage)
  }

  recorded(event: RecordedEvent): void {
    switch (event.type) {
      case 'input.admitted':
        if (this.has(event.turnId)) this.#queued.set(event.inputId, event.turnId)
        return
      case 'input.dropped': {
        const turnId = this.#queued.get(event.inputId)
        this.#queued.delete(event.inputId)
        if (turnId !== undefined) this.end(turnId, CANCELLED)
        return
      }
      case 'turn.started':
        this.#running = event.turnId
        if (event.inputId !== undefined) this.#queued.delete(event.inputId)
        return
      case 'step.answered':
        if (event.by === 'engine') return
        return this.#count(event.turnId, event.usage)
      case 'step.ended':
      case 'compaction.ended':
        return this.#count(event.turnId, event.usage)
      case 'turn.ended':
        this.#running = undefined
        this.end(event.turnId, { outcome: event.outcome, ...(event.error && { error: event.error }) })
        return
      default:
        return
    }
  }

  /** Ends every turn, because the session was deleted or the engine stops. */
  endAll(end: TurnEnd): void {
    for (const turnId of this.ids()) this.end(turnId, end)
  }
}

function addUsage(one: Usage, other: Usage): Usage {
  const sum = (name: 'cachedInputTokens' | 'cacheWriteTokens' | 'reasoningTokens') => {
    const values = [one[name], other[name]].filter((value) => value !== undefined)
    return values.length === 0 ? {} : { [name]: values.reduce((total, value) => total + value, 0) }
  }
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    ...sum('cachedInputTokens'),
    ...sum('cacheWriteTokens'),
    ...sum('reasoningTokens'),
  }
}
