import type { Attachment, Engine, SessionId, SessionReader, UserId } from '@polylogue/engine'
import { PacedReader, type Pace } from './paced-reader.ts'

export interface Subject {
  readonly engine: Engine
  readonly userId: UserId
  readonly sessionId: SessionId
}

/** One reader on one session, at most. It may be let go before its attachment is there. */
export class Subscription {
  readonly #subject: Subject
  readonly #pace: Pace
  #attempt = 0
  #attachment: Attachment | undefined
  #isClosed = false

  constructor(subject: Subject, pace: Pace) {
    this.#subject = subject
    this.#pace = pace
  }

  /**
   * Everything after `seq`. The past goes no faster than the client reads: when too much piles up, the reader is let
   * go and comes back behind what it was told. Resolves when the past has been read, also when nobody wants it any more.
   */
  async attach(seq: number, reader: SessionReader): Promise<void> {
    const { engine, userId, sessionId } = this.#subject
    if (this.#isClosed) return
    const attempt = ++this.#attempt
    for (let after = seq; ;) {
      const paced = new PacedReader(reader, this.#pace, after)
      const attachment = await engine.attach(userId, sessionId, { seq: after }, paced)
      if (attempt !== this.#attempt) return attachment.detach()
      if (paced.goLive()) {
        this.#attachment = attachment
        return
      }
      attachment.detach()
      await this.#pace.drained()
      if (attempt !== this.#attempt) return
      after = paced.lastSeq
    }
  }

  detach(): void {
    this.#attempt += 1
    this.#attachment?.detach()
    this.#attachment = undefined
  }

  /** For good. */
  close(): void {
    this.#isClosed = true
    this.detach()
  }
}
