import type { AgentCatalog, RecordedEvent, SessionId, UserId } from '@polylogue/engine'
import { toSessionChanges } from '../projection/session-changes.ts'
import { toSession } from '../rest/encode-session.ts'
import type { BladeOutput, ServerEvents } from '../wire.ts'
import type { SessionChange } from './deps.ts'

export interface SessionListDeps {
  readonly agents: Pick<AgentCatalog, 'find'>
  /** A session with subscribers sends its own settings and title. */
  isLive(sessionId: SessionId): boolean
  tell(userId: UserId, output: BladeOutput): void
}

type Stored = Extract<SessionChange, { type: 'stored' }>

/**
 * Keeps session lists up to date. Every socket of a user gets the changes of that user's sessions, subscribed or not.
 * Changes of one tick are sent together, after the session's own events.
 */
export class SessionList {
  readonly #deps: SessionListDeps
  readonly #waiting = new Map<SessionId, Stored>()

  constructor(deps: SessionListDeps) {
    this.#deps = deps
  }

  changed(change: SessionChange): void {
    const { sessionId } = change
    if (change.type === 'deleted') {
      this.#waiting.delete(sessionId)
      if (this.#deps.isLive(sessionId)) return
      return this.#deps.tell(change.userId, { event: 'session:deleted', payload: { session_id: sessionId } })
    }
    if (this.#waiting.size === 0) setImmediate(() => this.#flush())
    const before = this.#waiting.get(sessionId)?.events ?? []
    this.#waiting.set(sessionId, { ...change, events: [...before, ...change.events] })
  }

  #flush(): void {
    const changes = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const change of changes) this.#tell(change)
  }

  #tell({ sessionId, events, view: read }: Stored): void {
    const { agents, isLive, tell } = this.#deps
    const view = read()
    const session = toSession(view, agents)
    const ids = { session_id: sessionId }
    if (events.some(({ type }) => type === 'session.created')) {
      return tell(view.userId, { event: 'session:created', payload: { ...ids, ...session, queue: view.queued } })
    }
    const payload: ServerEvents['session:updated'] = {
      ...ids,
      ...(!isLive(sessionId) && { ...changedSettings(events), ...(events.some(isRest) && { intent: session.intent }) }),
      ...(events.some(isOfRun) && { status: session.status, queue: view.queued, updated_at: session.updated_at }),
    }
    if (Object.keys(payload).length > 1) tell(view.userId, { event: 'session:updated', payload })
  }
}

const changedSettings = (events: readonly RecordedEvent[]): ReturnType<typeof toSessionChanges> =>
  events.reduce(
    (all, event) => (event.type === 'session.configured' ? { ...all, ...toSessionChanges(event.settings) } : all),
    {},
  )

const isRest = ({ type }: RecordedEvent): boolean => type === 'turn.ended' || type === 'turn.paused'

const OF_RUNS: ReadonlySet<RecordedEvent['type']> = new Set([
  'input.admitted',
  'input.changed',
  'input.dropped',
  'turn.started',
  'turn.paused',
  'turn.resumed',
  'turn.ended',
])

const isOfRun = ({ type }: RecordedEvent): boolean => OF_RUNS.has(type)
