import type { ClusterParts, EngineParts } from '../engine-parts.ts'
import type { SessionId, TurnId } from '../ids.ts'
import { ALL_NODES, type BusMessage } from '../ports/live-bus.ts'
import type { OpenSession } from '../session/open-session.ts'
import type { OpenSessions } from '../session/open-sessions.ts'
import type { Coordinator } from '../turn/coordinator.ts'
import type { AppendListener } from './announce-appends.ts'
import { followLog } from './follow-log.ts'
import { SharedFeed } from './shared-feed.ts'
import { showLive, type ShownMessage } from './show-live.ts'

type LiveLinkParts = Pick<EngineParts, 'store' | 'clock' | 'log' | 'workspaces'> & { readonly cluster: ClusterParts }

interface LiveLinkDeps {
  readonly sessions: OpenSessions
  readonly coordinator: Pick<Coordinator, 'isRunning' | 'stopRunner' | 'cancelUnrecorded'>
}

/** Silence of a runner after which its node is asked again. */
const SILENCE_MS = 5_000
/** A node that noticed a gap asks at most this often. */
const ASK_AGAIN_MS = 200

interface Watched {
  /** The node that was asked for the feed. */
  readonly runner: string
  heardAt: number
  askedAt: number
}

/**
 * Connects the sessions in memory with the other nodes. Here, what a runner elsewhere streams is shown to readers; there,
 * what runs here. Every message is only a hint: what it says about the log is read from the log.
 */
export class LiveLink implements AppendListener {
  readonly #parts: LiveLinkParts
  readonly #deps: LiveLinkDeps
  readonly #feed: SharedFeed
  /** Sessions with readers here whose runner is another node. */
  readonly #watched = new Map<SessionId, Watched>()
  /** The work that messages have caused, one after the other for each session. */
  readonly #work = new Map<SessionId, Promise<void>>()
  #missed: (sessionId: SessionId) => void = () => undefined

  constructor(parts: LiveLinkParts, deps: LiveLinkDeps) {
    this.#parts = parts
    this.#deps = deps
    this.#feed = new SharedFeed(parts)
  }

  /** `missed`: what a message told could not be read, so the session must be compared with the store. */
  start(missed: (sessionId: SessionId) => void): void {
    this.#missed = missed
    this.#parts.cluster.bus.onMessage((from, message) => this.#receive(from, message))
  }

  claimed(sessionId: SessionId, seq = 0): void {
    this.#watched.delete(sessionId)
    this.#parts.cluster.bus.send(ALL_NODES, { type: 'runs', sessionId, seq })
  }

  appended(sessionId: SessionId, seq: number): void {
    this.#parts.cluster.bus.send(ALL_NODES, { type: 'moved', sessionId, seq })
  }

  deleted(sessionId: SessionId): void {
    this.#feed.removeAll(sessionId)
    this.#parts.cluster.bus.send(ALL_NODES, { type: 'deleted', sessionId })
  }

  /** A cancellation could not be recorded. */
  cancelled(sessionId: SessionId, turnId: TurnId, reason: string): void {
    this.#parts.cluster.bus.send(ALL_NODES, { type: 'cancel', sessionId, turnId, reason })
  }

  /** A reader has attached to a session. If it runs elsewhere, that node is asked for its feed. */
  async attached(session: OpenSession): Promise<void> {
    const { id, state, feed } = session
    if (state.turn?.status !== 'running' || this.#deps.coordinator.isRunning(id)) return
    // While nobody read here, the runner may have stopped sending, or another one may have come.
    if (feed.readerCount === 1) this.#watched.delete(id)
    if (this.#watched.has(id)) return
    const heads = await this.#parts.store.readHeads([id])
    this.watch(session, heads.get(id)?.owner)
  }

  /** `owner`: who runs the session according to the store. */
  watch({ id, feed }: OpenSession, owner: string | undefined): void {
    const { cluster, clock } = this.#parts
    if (owner === undefined || owner === cluster.self.nodeId || feed.readerCount === 0) return
    const now = clock.now()
    const known = this.#watched.get(id)
    if (known?.runner === owner && now - known.heardAt < SILENCE_MS) return
    this.#watched.set(id, { runner: owner, heardAt: now, askedAt: now })
    cluster.bus.send(owner, { type: 'watch', sessionId: id })
  }

  /** Forgets what has ended. */
  tidy(): void {
    const { sessions, coordinator } = this.#deps
    this.#feed.keepOnly((id) => coordinator.isRunning(id))
    const now = this.#parts.clock.now()
    for (const [id, { runner, askedAt }] of this.#watched) {
      const session = sessions.peek(id)
      const isRead = session !== undefined && session.feed.readerCount > 0
      // The turn may have begun elsewhere, and its start is not read yet.
      const isNew = this.#work.has(id) || now - askedAt < SILENCE_MS
      if (isRead && (isNew || session.state.turn?.status === 'running')) continue
      this.#watched.delete(id)
      this.#parts.cluster.bus.send(runner, { type: 'unwatch', sessionId: id })
    }
  }

  #receive(from: string, message: BusMessage): void {
    if (isForOthers(message)) return
    if (message.type === 'deleted') this.#forget(message.sessionId)
    const session = this.#deps.sessions.peek(message.sessionId)
    if (session === undefined) return
    switch (message.type) {
      case 'watch':
        return this.#answerWatch(session, from)
      case 'unwatch':
        return this.#feed.remove(session.id, from)
      case 'runs':
        this.#watched.delete(session.id)
        this.watch(session, from)
        return this.#catchUp(session, message.seq)
      case 'moved':
        this.#heard(session.id, from)
        return this.#catchUp(session, message.seq)
      case 'deleted':
        return this.#catchUp(session, Infinity)
      case 'cancel':
        if (this.#deps.coordinator.isRunning(session.id)) {
          this.#deps.coordinator.cancelUnrecorded(session, message.turnId, message.reason)
        }
        return
      case 'live':
        this.#heard(session.id, from)
        return this.#show(session, message, from)
    }
  }

  /** Ends what the session has in this process, such as commands in the background. Its files are gone already. */
  #forget(sessionId: SessionId): void {
    this.#parts.workspaces.remove(sessionId, []).catch((error: unknown) => {
      this.#parts.log({ level: 'warn', message: 'a deleted session could not be forgotten', sessionId, error })
    })
  }

  #heard(sessionId: SessionId, from: string): void {
    const watched = this.#watched.get(sessionId)
    if (watched?.runner === from) watched.heardAt = this.#parts.clock.now()
  }

  #answerWatch(session: OpenSession, from: string): void {
    const { id: sessionId, state } = session
    if (this.#deps.coordinator.isRunning(sessionId)) this.#enqueue(session, () => this.#feed.add(session, from))
    // It ran here until now.
    else this.#parts.cluster.bus.send(from, { type: 'moved', sessionId, seq: state.seq })
  }

  /** Sessions that nobody uses are read again when somebody does. */
  #catchUp(session: OpenSession, seq: number): void {
    const { coordinator } = this.#deps
    if (seq <= session.state.seq) return
    if (session.feed.readerCount > 0 || coordinator.isRunning(session.id)) {
      this.#enqueue(session, () => followLog(session, this.#deps))
    }
  }

  #show(session: OpenSession, message: ShownMessage, from: string): void {
    const { live } = message
    if (this.#deps.coordinator.isRunning(session.id)) return
    const isEarly = 'stepSeq' in live && live.stepSeq > session.state.seq
    if (!isEarly && !this.#work.has(session.id)) return this.#showNow(session, message, from)
    this.#enqueue(session, async () => {
      if ('stepSeq' in live && live.stepSeq > session.state.seq) await followLog(session, this.#deps)
      this.#showNow(session, message, from)
    })
  }

  #showNow(session: OpenSession, message: ShownMessage, from: string): void {
    const { bus } = this.#parts.cluster
    if (session.feed.readerCount === 0) return bus.send(from, { type: 'unwatch', sessionId: session.id })
    if (showLive(session, message) !== 'gap') return
    const now = this.#parts.clock.now()
    const watched = this.#watched.get(session.id) ?? { runner: from, heardAt: now, askedAt: 0 }
    if (watched.runner !== from || now - watched.askedAt < ASK_AGAIN_MS) return
    this.#watched.set(session.id, { ...watched, askedAt: now })
    bus.send(from, { type: 'watch', sessionId: session.id })
  }

  #enqueue(session: OpenSession, work: () => Promise<void>): void {
    const { id } = session
    const run = (this.#work.get(id) ?? Promise.resolve())
      .then(work)
      // The observer of the store reports the fault.
      .catch(() => this.#missed(id))
      .then(() => {
        if (this.#work.get(id) === run) this.#work.delete(id)
      })
    this.#work.set(id, run)
  }
}

type ForOthers = 'counts' | 'listed' | 'ask-clients' | 'clients'

/** Messages that are not about what is recorded or shown. */
const isForOthers = (message: BusMessage): message is Extract<BusMessage, { readonly type: ForOthers }> =>
  message.type === 'counts' || message.type === 'listed' || message.type === 'ask-clients' || message.type === 'clients'
