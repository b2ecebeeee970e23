import {
  EngineError,
  type Attachment,
  type Engine,
  type SessionId,
  type SessionReader,
  type UserId,
} from '@polylogue/engine'
import { PacedReader, type Pace } from './paced-reader.ts'

export interface Subject {
  readonly engine: Engine
  readonly userId: UserId
  readonly sessionId: SessionId
}

interface Held {
  readonly attachment: Attachment
  readonly paced: PacedReader
}

/**
 * One reader on one session, at most; it may be let go before its attachment is there. A reader is told things no
 * faster than its client takes them: when too much piles up it leaves, and comes back behind what it was told.
 */
export class Subscription {
  readonly #subject: Subject
  readonly #pace: Pace
  #attempt = 0
  #held: Held | undefined
  #isClosed = false

  constructor(subject: Subject, pace: Pace) {
    this.#subject = subject
    this.#pace = pace
    pace.onStalled(() => this.#pause())
  }

  /** Everything after `seq`. Resolves when the past has been read, also when nobody wants it any more. */
  async attach(seq: number, reader: SessionReader): Promise<void> {
    const { engine, userId, sessionId } = this.#subject
    if (this.#isClosed) return
    const attempt = ++this.#attempt
    for (let after = seq; ;) {
      const paced = new PacedReader(reader, this.#pace, after)
      const attachment = await engine.attach(userId, sessionId, { seq: after }, paced)
      if (attempt !== this.#attempt) return attachment.detach()
      if (paced.goLive()) {
        this.#held = { attachment, paced }
        return
      }
      attachment.detach()
      await this.#pace.drained('past')
      if (attempt !== this.#attempt) return
      after = paced.lastSeq
    }
  }

  detach(): void {
    this.#attempt += 1
    this.#held?.attachment.detach()
    this.#held = undefined
  }

  /** For good. */
  close(): void {
    this.#isClosed = true
    this.detach()
  }

  #pause(): void {
    if (this.#held === undefined) return
    const { paced } = this.#held
    this.detach()
    this.#comeBack(paced, this.#attempt).catch((error: unknown) => {
      const isGone = error instanceof EngineError && error.code === 'session-not-found'
      paced.closed(isGone ? 'deleted' : 'stopping')
    })
  }

  async #comeBack({ reader, lastSeq }: PacedReader, attempt: number): Promise<void> {
    await this.#pace.drained('live')
    if (attempt === this.#attempt) await this.attach(lastSeq, reader)
  }
}
