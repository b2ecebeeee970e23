import type { Attachment, Engine, SessionId, SessionReader, UserId } from '@polylogue/engine'

export interface Subject {
  readonly engine: Engine
  readonly userId: UserId
  readonly sessionId: SessionId
}

/** One reader on one session, at most. It may be let go before its attachment is there. */
export class Subscription {
  readonly #subject: Subject
  #attempt = 0
  #attachment: Attachment | undefined
  #isClosed = false

  constructor(subject: Subject) {
    this.#subject = subject
  }

  /** Everything after `seq`. Resolves when the past has been read, also when nobody wants it any more. */
  async attach(seq: number, reader: SessionReader): Promise<void> {
    const { engine, userId, sessionId } = this.#subject
    if (this.#isClosed) return
    const attempt = ++this.#attempt
    const attachment = await engine.attach(userId, sessionId, { seq }, reader)
    if (attempt === this.#attempt) this.#attachment = attachment
    else attachment.detach()
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
