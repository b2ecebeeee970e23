import type { BlockDelta, CallInput, StepRetry, ToolProgress } from '../events/live-event.ts'
import type { Recorded } from '../events/recorded-event.ts'
import { EngineError } from '../errors.ts'
import type { SessionId, UserId } from '../ids.ts'
import type { Attachment, SessionReader } from '../events/session-reader.ts'
import type { Engine } from './engine-api.ts'

/** How fast a client reads. */
export interface Pace {
  /** The client's buffer is full, so the replay must stop. */
  readonly isFull: boolean
  /** Resolves when the client has caught up or is gone. A replay may be slow; live readers must not be. */
  room(reading: 'past' | 'live'): Promise<void>
}

/** For a client that gets one answer at the end. */
export const UNHURRIED: Pace = { isFull: false, room: () => Promise.resolve() }

export interface FollowerOptions {
  readonly engine: Pick<Engine, 'attach'>
  readonly userId: UserId
  readonly sessionId: SessionId
  readonly pace: Pace
  /** Called when a paused reader attaches again. Output of running tools is sent from its start. */
  resumed?(): void
  /** Called when a paused reader cannot attach again. It is closed next. */
  failed?(error: unknown): void
}

/**
 * Keeps at most one reader attached to a session, no faster than its client reads. If the client falls behind, the
 * reader is detached. It is attached again after the last event that it got.
 */
export class SessionFollower {
  readonly #options: FollowerOptions
  #attempt = 0
  #held: { readonly attachment: Attachment; readonly paced: PacedReader } | undefined
  #isClosed = false
  #paced: PacedReader | undefined

  constructor(options: FollowerOptions) {
    this.#options = options
  }

  /** The last recorded event that the reader got. A client that does not read stays behind the log. */
  get seq(): number {
    return this.#paced?.lastSeq ?? 0
  }

  /** Gives the reader everything after `seq`. Resolves when the past has been read or the reader was detached. */
  async follow(seq: number, reader: SessionReader): Promise<void> {
    const { engine, userId, sessionId, pace } = this.#options
    if (this.#isClosed) return
    const attempt = ++this.#attempt
    for (let after = seq; ;) {
      const paced = new PacedReader(reader, pace, after)
      this.#paced = paced
      const attachment = await engine.attach(userId, sessionId, { after: { seq: after }, reader: paced })
      if (attempt !== this.#attempt) return attachment.detach()
      if (paced.goLive()) {
        this.#held = { attachment, paced }
        return
      }
      attachment.detach()
      await pace.room('past')
      if (attempt !== this.#attempt) return
      after = paced.lastSeq
    }
  }

  /** Detaches the reader until its client has room. Does nothing during a replay, which pauses by itself. */
  pause(): void {
    if (this.#held === undefined) return
    const { paced } = this.#held
    this.detach()
    this.#comeBack(paced, this.#attempt).catch((error: unknown) => {
      this.#options.failed?.(error)
      const isGone = error instanceof EngineError && error.code === 'session-not-found'
      paced.reader.closed(isGone ? 'deleted' : 'stopping')
    })
  }

  detach(): void {
    this.#attempt += 1
    this.#held?.attachment.detach()
    this.#held = undefined
  }

  /** Detaches for good. Idempotent. */
  close(): void {
    this.#isClosed = true
    this.detach()
  }

  async #comeBack({ reader, lastSeq }: PacedReader, attempt: number): Promise<void> {
    await this.#options.pace.room('live')
    if (attempt !== this.#attempt) return
    this.#options.resumed?.()
    await this.follow(lastSeq, reader)
  }
}

/** Passes past events on until the client's buffer is full, and none after that. Live events always pass. */
class PacedReader implements SessionReader {
  readonly reader: SessionReader
  readonly #pace: Pace
  #phase: 'past' | 'held' | 'live' = 'past'
  lastSeq: number

  constructor(reader: SessionReader, pace: Pace, lastSeq: number) {
    this.reader = reader
    this.#pace = pace
    this.lastSeq = lastSeq
  }

  /** Returns false if past events were withheld. */
  goLive(): boolean {
    if (this.#phase === 'held') return false
    this.#phase = 'live'
    return true
  }

  delta(delta: BlockDelta): void {
    if (this.#phase !== 'held') this.reader.delta(delta)
  }

  progress(progress: ToolProgress): void {
    if (this.#phase !== 'held') this.reader.progress?.(progress)
  }

  input(input: CallInput): void {
    if (this.#phase !== 'held') this.reader.input?.(input)
  }

  retrying(retry: StepRetry): void {
    if (this.#phase !== 'held') this.reader.retrying?.(retry)
  }

  closed(reason: 'deleted' | 'stopping'): void {
    this.reader.closed(reason)
  }

  recorded(recorded: Recorded): void | 'enough' {
    if (this.#phase === 'held') return 'enough'
    // Set before the reader is called, so that a pause during this event does not repeat it.
    this.lastSeq = recorded.seq
    this.reader.recorded(recorded)
    if (this.#phase !== 'past' || !this.#pace.isFull) return undefined
    this.#phase = 'held'
    return 'enough'
  }
}
