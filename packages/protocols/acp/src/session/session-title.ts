import type { SessionUpdate } from '@agentclientprotocol/sdk'
import { toReadableLine, type RecordedEvent, type SessionView } from '@polylogue/engine'

interface SessionTitleOptions {
  /** The session was given a title. */
  isKnown(): boolean
  view(): Promise<Pick<SessionView, 'title' | 'updatedAt'>>
  /** Holds back later events until the returned function is called. */
  hold(): () => void
  tell(update: SessionUpdate): void
  failed(error: unknown): void
}

/** Tells the client the title that comes from the first input, before the updates that follow that input. */
export class SessionTitle {
  readonly #options: SessionTitleOptions
  #isTitled = false

  constructor(options: SessionTitleOptions) {
    this.#options = options
  }

  recorded({ type }: RecordedEvent, when: 'past' | 'live'): void {
    if (type !== 'input.admitted' && type !== 'session.seeded') return
    if (this.#isTitled || this.#options.isKnown()) return
    this.#isTitled = true
    if (when === 'past') return
    const release = this.#options.hold()
    void this.#tell().finally(release)
  }

  async #tell(): Promise<void> {
    try {
      const { title, updatedAt } = await this.#options.view()
      if (title === undefined) this.#isTitled = false
      else
        this.#options.tell({
          sessionUpdate: 'session_info_update',
          title: toReadableLine(title),
          updatedAt: new Date(updatedAt).toISOString(),
        })
    } catch (error) {
      this.#options.failed(error)
    }
  }
}
