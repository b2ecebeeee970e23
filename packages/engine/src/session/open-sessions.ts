import { EngineError } from '../errors.ts'
import type { Recorded } from '../events/recorded-event.ts'
import type { SessionId, UserId } from '../ids.ts'
import type { Timer } from '../ports/clock.ts'
import type { EngineParts } from '../engine-parts.ts'
import { loadSession } from './load-session.ts'
import type { OpenSession } from './open-session.ts'

/** Idle sessions are evicted after this time. The next use reads a snapshot and the tail of the log. */
const IDLE_MS = 5 * 60_000
/** Above this number, the least recently used sessions are evicted sooner, but never one that may be in use. */
const MOST_OPEN = 1_000
const CROWDED_IDLE_MS = 10_000
const SWEEP_MS = 10_000

/** Another process has appended to a session. */
export type MovedListener = (session: OpenSession, recorded: readonly Recorded[]) => void

/** The sessions in memory. Concurrent loads of one session share the same object. */
export class OpenSessions {
  readonly #parts: Pick<EngineParts, 'store' | 'clock' | 'log' | 'isShared'>
  readonly #isBusy: (sessionId: SessionId) => boolean
  readonly #onMoved: MovedListener | undefined
  readonly #open = new Map<SessionId, OpenSession>()
  readonly #loading = new Map<SessionId, Promise<OpenSession | undefined>>()
  #sweep: Timer | undefined
  #isClosed = false

  constructor(
    parts: Pick<EngineParts, 'store' | 'clock' | 'log' | 'isShared'>,
    isBusy: (sessionId: SessionId) => boolean,
    onMoved?: MovedListener,
  ) {
    this.#parts = parts
    this.#isBusy = isBusy
    this.#onMoved = onMoved
  }

  add(session: OpenSession): void {
    if (this.#parts.isShared === true) session.feed.numberAlways()
    session.onMoved = (recorded) => this.#onMoved?.(session, recorded)
    this.#open.set(session.id, session)
  }

  /** The session if memory holds it. It may be old. */
  peek(sessionId: SessionId): OpenSession | undefined {
    return this.#open.get(sessionId)
  }

  list(): readonly OpenSession[] {
    return [...this.#open.values()]
  }

  remove(sessionId: SessionId): void {
    this.#open.delete(sessionId)
  }

  /** Another user's session is refused exactly like one that does not exist. */
  async owned(userId: UserId, sessionId: SessionId): Promise<OpenSession> {
    const session = await this.find(sessionId)
    if (session === undefined || session.state.userId !== userId) {
      throw new EngineError('session-not-found', 'there is no such session')
    }
    return session
  }

  /** Also accepts another user's session if its owner shares it. */
  async shared(userId: UserId, sessionId: SessionId): Promise<OpenSession> {
    const session = await this.find(sessionId)
    if (session?.state.userId === userId || session?.state.settings.isShared === true) return session
    throw new EngineError('session-not-found', 'there is no such session')
  }

  async find(sessionId: SessionId): Promise<OpenSession | undefined> {
    const open = this.#open.get(sessionId)
    // What is in memory may be old: another process may have appended, or deleted the session.
    if (this.#parts.isShared === true) await open?.refresh()
    if (open?.isStale === true) this.#open.delete(sessionId)
    else if (open !== undefined) {
      open.lastUsedAt = this.#parts.clock.now()
      if (open.isGone) this.#open.delete(sessionId)
      return open.isGone ? undefined : open
    }
    const loading = this.#loading.get(sessionId) ?? this.#load(sessionId)
    return loading
  }

  startEviction(): void {
    this.#sweep = this.#parts.clock.setTimer(SWEEP_MS, () => {
      const now = this.#parts.clock.now()
      this.#evict([...this.#open.values()], now - IDLE_MS)
      const crowd = this.#open.size - MOST_OPEN
      if (crowd > 0) {
        const byUse = [...this.#open.values()].sort((one, other) => one.lastUsedAt - other.lastUsedAt)
        this.#evict(byUse.slice(0, crowd), now - CROWDED_IDLE_MS)
      }
      this.startEviction()
    })
  }

  #evict(sessions: readonly OpenSession[], unusedSince: number): void {
    for (const session of sessions) {
      const { id, lastUsedAt, feed } = session
      if (lastUsedAt > unusedSince || feed.readerCount > 0 || this.#isBusy(id)) continue
      this.#open.delete(id)
      session.putAway().catch((error: unknown) => {
        this.#parts.log({ level: 'warn', message: 'a session could not be put away', sessionId: id, error })
      })
    }
  }

  close(): void {
    this.#isClosed = true
    this.#sweep?.cancel()
    for (const session of this.#open.values()) session.feed.close('stopping')
    this.#open.clear()
  }

  #load(sessionId: SessionId): Promise<OpenSession | undefined> {
    const loading = loadSession(this.#parts, sessionId)
      .then((session) => {
        if (this.#isClosed) session?.feed.close('stopping')
        else if (session !== undefined) this.add(session)
        return session
      })
      .finally(() => this.#loading.delete(sessionId))
    this.#loading.set(sessionId, loading)
    return loading
  }
}
