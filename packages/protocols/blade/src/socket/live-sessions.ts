import type { Engine, RecordedEvent, SessionId, UserId } from '@polylogue/engine'
import { attachProjection, type AttachedProjection } from '../projection/attach-projection.ts'
import type { ProjectedOutput } from '../projection/projected-output.ts'
import type { ProjectionMarks } from '../projection/projection-marks.ts'
import type { Describe } from '../projection/scene.ts'
import type { SessionProjection } from '../projection/session-projection.ts'

export interface LiveSessionListener {
  /** Contract: must not throw. */
  told(session: LiveSession, output: ProjectedOutput): void
  recorded(session: LiveSession, event: RecordedEvent): void
  closed(session: LiveSession, reason: 'deleted' | 'stopping'): void
}

/** A watched session. All its subscribers share one projection. */
export class LiveSession {
  readonly sessionId: SessionId
  readonly owner: UserId
  readonly #attached: AttachedProjection

  constructor(sessionId: SessionId, owner: UserId, attached: AttachedProjection) {
    this.sessionId = sessionId
    this.owner = owner
    this.#attached = attached
  }

  get projection(): SessionProjection {
    return this.#attached.projection
  }

  /** Sends what was held back, so that a new subscriber does not get it twice. */
  settle(): void {
    this.#attached.settle()
  }

  detach(): void {
    this.#attached.detach()
  }
}

export interface LiveSessionDeps {
  readonly engine: Pick<Engine, 'attach'>
  readonly describe: Describe
  readonly marks?: ProjectionMarks
}

interface Slot {
  readonly opened: Promise<LiveSession>
  holders: number
}

/**
 * The watched sessions. A session leaves with its last subscriber, but a running one stays until it rests: only then does
 * the log contain the number of live batches, and numbers must not be used twice.
 */
export class LiveSessions {
  readonly #engine: Pick<Engine, 'attach'>
  readonly #describe: Describe
  readonly #listener: LiveSessionListener
  readonly #marks: ProjectionMarks | undefined
  readonly #slots = new Map<SessionId, Slot>()

  constructor({ engine, describe, marks }: LiveSessionDeps, listener: LiveSessionListener) {
    this.#engine = engine
    this.#describe = describe
    this.#marks = marks
    this.#listener = listener
  }

  has(sessionId: SessionId): boolean {
    return this.#slots.has(sessionId)
  }

  /** Contract: release each acquired session once. The caller has checked read access. */
  async acquire(sessionId: SessionId, owner: UserId): Promise<LiveSession> {
    const slot = this.#slots.get(sessionId) ?? this.#open(sessionId, owner)
    slot.holders++
    try {
      return await slot.opened
    } catch (error) {
      this.#letGo(sessionId, slot)
      throw error
    }
  }

  release({ sessionId }: LiveSession): void {
    const slot = this.#slots.get(sessionId)
    if (slot !== undefined) this.#letGo(sessionId, slot)
  }

  close(): void {
    for (const { opened } of this.#slots.values())
      void opened.then((session) => session.detach()).catch(() => undefined)
    this.#slots.clear()
  }

  #open(sessionId: SessionId, owner: UserId): Slot {
    const slot = { opened: this.#attach(sessionId, owner), holders: 0 }
    this.#slots.set(sessionId, slot)
    return slot
  }

  async #attach(sessionId: SessionId, owner: UserId): Promise<LiveSession> {
    // Set before the first subscriber.
    const made: { session?: LiveSession } = {}
    const source = { engine: this.#engine, userId: owner, sessionId, describe: this.#describe, marks: this.#marks }
    const attached = await attachProjection(source, {
      told: (output) => made.session && this.#listener.told(made.session, output),
      recorded: (event) => {
        if (made.session === undefined) return
        this.#listener.recorded(made.session, event)
        if (event.type === 'turn.ended' || event.type === 'turn.paused') this.#dropIfUnused(sessionId)
      },
      closed: (reason) => {
        this.#slots.delete(sessionId)
        if (made.session !== undefined) this.#listener.closed(made.session, reason)
      },
    })
    made.session = new LiveSession(sessionId, owner, attached)
    return made.session
  }

  #letGo(sessionId: SessionId, slot: Slot): void {
    slot.holders--
    if (this.#slots.get(sessionId) === slot) this.#dropIfUnused(sessionId)
  }

  #dropIfUnused(sessionId: SessionId): void {
    const slot = this.#slots.get(sessionId)
    if (slot === undefined || slot.holders > 0) return
    void slot.opened.then(
      (session) => {
        const isUnused = slot.holders === 0 && session.projection.status !== 'running'
        if (!isUnused || this.#slots.get(sessionId) !== slot) return
        this.#slots.delete(sessionId)
        session.detach()
      },
      () => {
        if (this.#slots.get(sessionId) === slot) this.#slots.delete(sessionId)
      },
    )
  }
}
