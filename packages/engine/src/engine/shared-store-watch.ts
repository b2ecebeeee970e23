import type { SessionId } from '../ids.ts'
import type { EngineParts } from '../engine-parts.ts'
import { ownLevel } from '../events/levels.ts'
import type { Timer } from '../ports/clock.ts'
import type { OpenSession } from '../session/open-session.ts'
import type { OpenSessions } from '../session/open-sessions.ts'
import { followLog } from '../cluster/follow-log.ts'
import type { SessionBindings } from '../cluster/session-bindings.ts'
import type { TurnDispatch } from '../cluster/turn-dispatch.ts'
import type { LiveLink } from '../cluster/live-link.ts'
import { showDrafts } from '../session/show-drafts.ts'
import { isWanted, loopsOf } from '../state/session-state.ts'
import type { Coordinator } from '../turn/coordinator.ts'
import { isLastChance } from '../turn/decide-takeover.ts'

/** How late a reader or a runner notices what another process appended, without messages between processes. */
const FOLLOW_MS = 250
/**
 * With messages, the store is asked only in case one was lost: sessions that run here, run elsewhere, or are idle. Nobody tells that
 * a session is free for an editor that waits for it.
 */
const RUNNING_HERE_MS = 1_500
const RUNNING_ELSEWHERE_MS = 5_000
const IDLE_MS = 30_000
const SWEEP_MS = 1_000
/**
 * After an outage of the store, the leases of all processes have ended, and the others need time to renew theirs. So a
 * process takes turns from others only after it has reached the store this long without a gap.
 */
const STEADY_MS = 5_000
const LONGEST_GAP_MS = 3 * SWEEP_MS
const SWEPT_AT_ONCE = 100
const MOST_SWEPT = 10_000
/** A session that cannot be read is tried again after one second, two, four, and so on. */
const LONGEST_REST_MS = 60_000
/**
 * Turns that have killed several processes, or were there when another one did, are tried one at a time, so that only the guilty one
 * dies again. The next one begins at the latest after this time.
 */
const TRIAL_MS = 5 * 60_000

/** A session that this process could not take at its last look. */
interface PutOff {
  readonly until: number
  readonly failures: number
}

export interface WatchDeps {
  readonly sessions: OpenSessions
  readonly coordinator: Coordinator
  /** Absent: the processes send each other no messages. */
  readonly link?: LiveLink
  /** Absent: this process runs any number of turns. */
  readonly dispatch?: TurnDispatch
  readonly bindings?: SessionBindings
}

/**
 * What a process does because others use the same store: it follows the sessions that have readers or a runner here, and
 * continues turns that no process runs.
 */
export class SharedStoreWatch {
  readonly #parts: EngineParts
  readonly #sessions: OpenSessions
  readonly #coordinator: Coordinator
  readonly #link: LiveLink | undefined
  readonly #dispatch: TurnDispatch | undefined
  readonly #bindings: SessionBindings | undefined
  readonly #timers = new Map<string, Timer>()
  /** When sessions in use were last compared with the store. */
  readonly #comparedAt = new Map<SessionId, number>()
  readonly #putOff = new Map<SessionId, PutOff>()
  #isTrying = false
  #isStopped = false
  #sweptAt = -Infinity
  #steadySince = Infinity

  constructor(parts: EngineParts, { sessions, coordinator, link, dispatch, bindings }: WatchDeps) {
    this.#parts = parts
    this.#bindings = bindings
    this.#link = link
    this.#dispatch = dispatch
    this.#sessions = sessions
    this.#coordinator = coordinator
  }

  /** `used`: a process that came for one errand leaves the turns of others alone. */
  start(takeOver: 'all' | 'used'): void {
    this.#link?.start((id) => void this.#comparedAt.delete(id))
    // Messages may have been lost while the bus was down.
    this.#parts.cluster?.bus.onUp(() => this.#comparedAt.clear())
    this.#repeat('follow', FOLLOW_MS, () => this.#follow())
    const isWorker = this.#dispatch?.isWorker !== false
    if (takeOver === 'all' && isWorker) this.#repeat('sweep', SWEEP_MS, () => this.#sweep())
  }

  stopSweeping(): void {
    this.#timers.get('sweep')?.cancel()
    this.#timers.delete('sweep')
    this.#steadySince = Infinity
  }

  stop(): void {
    this.#isStopped = true
    for (const timer of this.#timers.values()) timer.cancel()
    this.#timers.clear()
  }

  #repeat(name: 'follow' | 'sweep', everyMs: number, work: () => Promise<void>): void {
    const timer = this.#parts.clock.setTimer(everyMs, () => {
      void work()
        // The observer of the store reports the fault, and the next round tries again.
        .catch(() => this.#missed())
        .finally(() => {
          if (!this.#isStopped && this.#timers.has(name)) this.#repeat(name, everyMs, work)
        })
    })
    this.#timers.set(name, timer)
  }

  #missed(): void {
    this.#steadySince = Infinity
  }

  async #follow(): Promise<void> {
    const due = this.#findDue()
    if (due.length === 0) return
    try {
      await this.#compare(due)
    } catch (error) {
      // They are still due.
      for (const { id } of due) this.#comparedAt.delete(id)
      throw error
    }
    this.#link?.tidy()
  }

  async #compare(due: readonly OpenSession[]): Promise<void> {
    const heads = await this.#parts.store.readHeads(due.map(({ id }) => id))
    for (const session of due) {
      const head = heads.get(session.id)
      if (head?.lastSeq !== session.state.seq) {
        await followLog(session, { sessions: this.#sessions, coordinator: this.#coordinator })
      }
      if (session.isGone || session.isStale || this.#coordinator.isRunning(session.id)) continue
      // The process that had the session may be gone by now.
      await this.#bindings?.bind(session.id)
      if (this.#bindings?.has(session.id) === true && isWanted(session.state)) this.#goOn(session, head?.owner)
      if (session.state.turn?.status === 'running') this.#link?.watch(session, head?.owner)
      if (isAsking(session) && !this.#isBusUp()) {
        showDrafts(session, await this.#parts.store.readDrafts(session.id))
      }
    }
  }

  /** A session that only this process may run. A former runner that still lives keeps its lease. */
  #goOn(session: OpenSession, owner: string | undefined): void {
    if (owner === undefined) this.#coordinator.wake(session)
    else void this.#coordinator.takeOver(session)
  }

  #isBusUp(): boolean {
    return this.#parts.cluster?.bus.isUp === true
  }

  /** The sessions in use that must be compared with the store now. */
  #findDue(): readonly OpenSession[] {
    const now = this.#parts.clock.now()
    const used = this.#sessions.list().filter(({ id, feed }) => feed.readerCount > 0 || this.#coordinator.isRunning(id))
    const due = used.filter((session) => now - (this.#comparedAt.get(session.id) ?? 0) >= this.#patience(session))
    const isUsed = new Set(used.map(({ id }) => id))
    for (const id of this.#comparedAt.keys()) if (!isUsed.has(id)) this.#comparedAt.delete(id)
    for (const { id } of due) this.#comparedAt.set(id, now)
    return due
  }

  #patience({ id, state }: OpenSession): number {
    if (!this.#isBusUp()) return 0
    if (this.#coordinator.isRunning(id) || this.#bindings?.isAwaited(id) === true) return RUNNING_HERE_MS
    return state.turn?.status === 'running' ? RUNNING_ELSEWHERE_MS : IDLE_MS
  }

  async #sweep(): Promise<void> {
    const now = this.#parts.clock.now()
    if (now - this.#sweptAt > LONGEST_GAP_MS || now < this.#sweptAt) this.#missed()
    this.#sweptAt = now
    // Sessions that nobody can take must not hide those behind them.
    const limit = Math.min(MOST_SWEPT, SWEPT_AT_ONCE + this.#putOff.size)
    const wanted = await this.#parts.store.wantedSessions(limit, ownLevel())
    this.#steadySince = Math.min(this.#steadySince, now)
    if (wanted.length < limit) this.#forgetOthers(wanted)
    const isResting = (id: SessionId): boolean => (this.#putOff.get(id)?.until ?? 0) > now
    const left = wanted.filter((id) => !this.#coordinator.isRunning(id) && !isResting(id))
    let room = this.#dispatch?.room() ?? Infinity
    if (left.length === 0 || room === 0) return
    const heads = await this.#parts.store.readHeads(left)
    const isSteady = now - this.#steadySince >= STEADY_MS
    for (const id of left) {
      const head = heads.get(id)
      if (head === undefined || (head.owner !== undefined && !isSteady)) continue
      const isTaken = await this.#take(id, head.owner !== undefined)
      if (isTaken) this.#putOff.delete(id)
      if (isTaken && --room <= 0) return
    }
  }

  /** These sessions, and no others, wait for a runner. */
  #forgetOthers(wanted: readonly SessionId[]): void {
    this.#dispatch?.stillWaiting(wanted)
    const isWaiting = new Set(wanted)
    for (const id of this.#putOff.keys()) if (!isWaiting.has(id)) this.#putOff.delete(id)
  }

  /** Whether this process tries to run the session. */
  async #take(sessionId: SessionId, isFromDead: boolean): Promise<boolean> {
    try {
      const session = await this.#sessions.find(sessionId)
      if (session === undefined) return false
      const isAgentKnown = this.#parts.agents.find(session.state.agent) !== undefined
      const canRun = isAgentKnown && (await this.#dispatch?.findMissing(session)) === undefined
      const isForTrial = isFromDead && isLastChance(session.state) && session.state.turn?.cancelled === undefined
      if (!canRun || (isForTrial && this.#isTrying)) {
        if (!canRun) this.#dispatch?.passOn(sessionId)
        this.#putOff.set(sessionId, { until: 0, failures: 0 })
        return false
      }
      if (!isFromDead) this.#coordinator.wake(session)
      else {
        const isAbandoned = (await this.#bindings?.isAbandoned(sessionId)) === true
        const ended = this.#coordinator.takeOver(session, isAbandoned ? 'abandoned' : 'takeover')
        if (isForTrial) void this.#untilTried(ended)
      }
      return true
    } catch (error) {
      this.#parts.log({ level: 'error', message: 'a session could not be taken over', sessionId, error })
      const failures = (this.#putOff.get(sessionId)?.failures ?? 0) + 1
      const restMs = Math.min(LONGEST_REST_MS, SWEEP_MS * 2 ** (failures - 1))
      this.#putOff.set(sessionId, { until: this.#parts.clock.now() + restMs, failures })
      return false
    }
  }

  async #untilTried(ended: Promise<void>): Promise<void> {
    this.#isTrying = true
    const patience = Promise.withResolvers<void>()
    const timer = this.#parts.clock.setTimer(TRIAL_MS, patience.resolve)
    await Promise.race([ended, patience.promise])
    timer.cancel()
    this.#isTrying = false
  }
}

const isAsking = ({ state: { turn }, feed }: OpenSession): boolean =>
  feed.readerCount > 0 && turn !== undefined && loopsOf(turn).some(({ step }) => step?.phase === 'asking')
