import type { Recorded } from '../events/recorded-event.ts'
import { failpoint } from '../failpoint.ts'
import type { SessionId, TurnId } from '../ids.ts'
import { StorageFault, type Fence, type LeaseClaim } from '../ports/event-store.ts'
import { EngineError } from '../errors.ts'
import { FencedOff } from '../session/append-conflicts.ts'
import type { OpenSession } from '../session/open-session.ts'
import { isWanted } from '../state/session-state.ts'
import { isLeftOpen } from './decide-takeover.ts'
import { endBrokenTurn, handOverTurn } from './leave-turn.ts'
import { repairTurn, type OwedCancel } from './repair-turn.ts'
import { runTurns } from './run-turns.ts'
import { createRunner, nudge, type Runner } from './runner.ts'
import { RunnerLeases } from './runner-leases.ts'
import { findSuspects, tryOneByOne } from './suspects.ts'
import { RunnerStopped, stopReasonOf, type StopReason } from './turn-deps.ts'
import type { EngineParts } from '../engine-parts.ts'

const STORAGE_RETRY_MS = 1_000

/**
 * `takeover`: the turn's process died. `abandoned`: it died, and the turn cannot go on elsewhere. `retry`: the storage of this
 * process failed. All leave work to repair.
 */
type StartCause = 'wake' | 'takeover' | 'abandoned' | 'retry'

/** The place of a runner whose claim joins an append. Exactly one of its two methods is called. */
export interface PreparedRunner {
  readonly claim: LeaseClaim
  /** The append is stored. */
  start(fence: Fence): void
  /** The append was not stored. */
  dismiss(): void
}

/** Which turns may begin in this process. */
export interface Placement {
  admits(): boolean
  /** Lets another process run the session. */
  delegate(sessionId: SessionId): void
  /** No other process may run the session. */
  isBound(sessionId: SessionId): boolean
  /** Whether this process may not run the session, although it has claimed it. */
  refusal(session: OpenSession): Promise<RunRefusal | undefined>
}

/** `elsewhere`: another process may be able to run the session. `nowhere`: none is; the reason is a sentence. */
export type RunRefusal = { readonly type: 'elsewhere' } | { readonly type: 'nowhere'; readonly reason: string }

const ALONE: Placement = {
  admits: () => true,
  delegate: () => undefined,
  isBound: () => false,
  refusal: async () => undefined,
}

/**
 * Runs at most one runner per session in this process. The store's lease ensures that there is at most one in all
 * processes.
 */
export class Coordinator {
  readonly #parts: EngineParts
  readonly #leases: RunnerLeases
  readonly #runners = new Map<SessionId, Runner>()
  /** Sessions that wait to be taken over one at a time. */
  readonly #suspects = new Set<SessionId>()
  /** Sessions that wait for the storage to recover. */
  readonly #retries = new Set<SessionId>()
  /** Turns that were cancelled while the storage was down. The cancellation is recorded when the storage recovers. */
  readonly #owedCancels = new Map<SessionId, OwedCancel>()
  readonly #placement: Placement
  #isStopping = false

  constructor(parts: EngineParts, owner: string, placement = ALONE) {
    this.#parts = parts
    this.#placement = placement
    this.#leases = new RunnerLeases(parts, owner, this.#runners)
  }

  /** Called after recording something that a runner must handle. Starts a runner or wakes the running one. */
  wake(session: OpenSession): void {
    // A suspect that waits for its takeover runs only to end a cancelled turn.
    if (this.#suspects.has(session.id) && session.state.turn?.cancelled === undefined) return
    if (this.#suspects.has(session.id)) return void this.takeOver(session)
    if (!this.isRunning(session.id) && !this.#placement.admits()) return this.#placement.delegate(session.id)
    void this.#start(session, 'wake')
  }

  /**
   * Reserves the session for a runner that starts when an append has claimed the session. `undefined`: the append must
   * not claim, and `wake` follows it.
   */
  prepare(session: OpenSession): PreparedRunner | undefined {
    if (this.#isStopping || this.isRunning(session.id) || isLeftOpen(session.state)) return undefined
    // Another process may run the turn.
    if (session.state.turn?.status === 'running' || !this.#placement.admits()) return undefined
    const stored = Promise.withResolvers<Fence | undefined>()
    const runner = this.#register(session)
    runner.done = stored.promise.then((fence) =>
      fence === undefined ? this.#dismiss(runner) : this.#run(runner, { cause: 'wake', fence }),
    )
    return {
      claim: this.#leases.claim,
      start: (fence) => {
        runner.isCurrent = true
        stored.resolve(fence)
      },
      dismiss: () => stored.resolve(undefined),
    }
  }

  /** Another process has appended to the session. Its command may concern the runner here. */
  moved(session: OpenSession, recorded: readonly Recorded[]): void {
    for (const { event } of recorded) {
      if (event.type === 'turn.cancel-requested') this.stopRunner(session.id, 'cancel', event.turnId)
      if (event.type === 'turn.taken-over') this.#replaced(session.id)
    }
    const isOurs = this.#placement.isBound(session.id) && isWanted(session.state)
    if (isOurs || this.#runners.has(session.id)) this.wake(session)
  }

  /** The step that is open now belongs to another process. */
  #replaced(sessionId: SessionId): void {
    const runner = this.#runners.get(sessionId)
    if (runner?.isCurrent !== true) return
    runner.isReplaced = true
    runner.abort.abort('fenced' satisfies StopReason)
  }

  /** Repairs and continues a session whose runner died with its process. Resolves when the session is idle. */
  takeOver(session: OpenSession, cause: 'takeover' | 'abandoned' = 'takeover'): Promise<void> {
    this.#suspects.delete(session.id)
    return this.#start(session, cause)
  }

  /** Continues all turns of dead processes. */
  takeOverAll(sessions: readonly OpenSession[]): void {
    const suspects = findSuspects(sessions)
    for (const session of suspects) this.#suspects.add(session.id)
    for (const session of sessions) if (!suspects.includes(session)) void this.takeOver(session)
    void tryOneByOne(suspects, this.#parts.clock, async (session) => {
      if (this.#suspects.has(session.id) && !session.isGone) await this.takeOver(session)
    })
  }

  /** The number of sessions that run here. */
  get count(): number {
    return this.#runners.size
  }

  /** Ends the turn of a session that no process can run. */
  async giveUp(session: OpenSession, reason: string): Promise<void> {
    const fence = await this.#leases.claimNow(session.id)
    if (fence === undefined) return
    await session.refresh()
    const failure = { code: 'failed', message: reason }
    await endBrokenTurn(session, fence, { parts: this.#parts, error: reason, failure })
    if (!session.hasReleased(fence)) await this.#leases.release(session.id, fence)
  }

  isRunning(sessionId: SessionId): boolean {
    return this.#runners.has(sessionId) || this.#retries.has(sessionId) || this.#suspects.has(sessionId)
  }

  /** Stops the runner's model and tools immediately. The reason decides what happens to the turn. */
  stopRunner(sessionId: SessionId, reason: StopReason, turnId?: TurnId): void {
    const runner = this.#runners.get(sessionId)
    if (runner !== undefined && (turnId === undefined || runner.turnId === turnId)) runner.abort.abort(reason)
  }

  /**
   * This process can no longer prove its leases: models and tools stop. When the store answers again, each turn goes on
   * here, unless another process has taken it.
   */
  cutOff(): void {
    for (const { fence, abort } of this.#runners.values()) {
      if (fence !== undefined) abort.abort('cut-off' satisfies StopReason)
    }
  }

  /** The store has lost the end of its logs. Turns go on with sessions that are read again. */
  async restart(session: OpenSession): Promise<void> {
    await this.#runners.get(session.id)?.done
    await this.#start(session, 'retry')
  }

  /** Stops the turn's model and tools immediately. The cancellation is recorded as soon as the storage recovers. */
  cancelUnrecorded(session: OpenSession, turnId: TurnId, reason: string): void {
    this.#owedCancels.set(session.id, { turnId, reason })
    this.stopRunner(session.id, 'cancel', turnId)
    if (!this.isRunning(session.id)) this.#retryLater(session)
  }

  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true
    const all = Promise.all([...this.#runners.values()].map((runner) => runner.done))
    if (graceMs > 0) {
      const grace = Promise.withResolvers<void>()
      const timer = this.#parts.clock.setTimer(graceMs, grace.resolve)
      await Promise.race([all, grace.promise])
      timer.cancel()
    }
    for (const runner of this.#runners.values()) runner.abort.abort('stopping' satisfies StopReason)
    await all
    this.#leases.stop()
  }

  #start(session: OpenSession, cause: StartCause): Promise<void> {
    const runner = this.#runners.get(session.id)
    if (runner !== undefined) {
      nudge(runner)
      return runner.done
    }
    if (this.#isStopping) return Promise.resolve()
    const started = this.#register(session)
    started.done = Promise.resolve().then(() => this.#run(started, { cause }))
    return started.done
  }

  #register(session: OpenSession): Runner {
    const runner = createRunner(session)
    this.#runners.set(session.id, runner)
    this.#leases.keep()
    return runner
  }

  #dismiss(runner: Runner): void {
    this.#runners.delete(runner.session.id)
    this.#wakeIfNudged(runner)
  }

  /** What was recorded while a runner was about to end gets a new one. */
  #wakeIfNudged({ session, isNudged }: Runner): void {
    if (isNudged && isWanted(session.state) && !session.isGone) this.wake(session)
  }

  async #run(runner: Runner, start: { readonly cause: StartCause; readonly fence?: Fence }): Promise<void> {
    const { session } = runner
    const { log } = this.#parts
    let fence: Fence | undefined
    let isForOthers = false
    try {
      fence = start.fence ?? (await this.#claim(session.id, start.cause))
      if (fence === undefined) return
      runner.fence = fence
      if (this.#parts.isShared === true && start.fence === undefined) await session.refresh()
      runner.isCurrent = true
      const refusal = this.#parts.isShared === true ? await this.#placement.refusal(session) : undefined
      if (refusal?.type === 'nowhere') {
        const failure = { code: 'failed', message: refusal.reason }
        return void (await endBrokenTurn(session, fence, { parts: this.#parts, error: refusal.reason, failure }))
      }
      if (refusal?.type === 'elsewhere') {
        isForOthers = true
        return await handOverTurn(session, fence, this.#parts)
      }
      if (start.fence !== undefined) await this.#untilFollowed(session)
      else if (start.cause !== 'wake' || isLeftOpen(session.state)) await this.#repair(session, fence, start.cause)
      await runTurns(runner, fence, { parts: this.#parts, isStopping: () => this.#isStopping })
      if (this.#isStopping) await handOverTurn(session, fence, this.#parts)
    } catch (error) {
      // Tools and model calls must stop, because their results can no longer be recorded.
      runner.abort.abort('fenced' satisfies StopReason)
      const isFenced = error instanceof FencedOff || session.isStale
      if (error instanceof RunnerStopped && this.#isStopping && fence !== undefined && !isFenced) {
        return await handOverTurn(session, fence, this.#parts)
      }
      if (error instanceof RunnerStopped || isFenced) return
      if (error instanceof EngineError && error.code === 'session-not-found') return
      log({ level: 'error', message: 'a runner failed', sessionId: session.id, error })
      if (error instanceof StorageFault) return this.#retryLater(session)
      if (fence !== undefined && (await endBrokenTurn(session, fence, { parts: this.#parts, error })))
        this.wake(session)
    } finally {
      if (session.state.turn?.turnId !== this.#owedCancels.get(session.id)?.turnId) this.#owedCancels.delete(session.id)
      this.#runners.delete(session.id)
      const held = fence !== undefined && !session.hasReleased(fence) ? fence : undefined
      const isCutOff = stopReasonOf(runner.abort.signal) === 'cut-off' && !session.isStale
      if (held !== undefined && isCutOff) this.#retryLater(session)
      else if (held !== undefined) await this.#leases.release(session.id, held)
      if ((this.#isStopping || isForOthers) && isWanted(session.state)) this.#placement.delegate(session.id)
      this.#wakeIfNudged(runner)
    }
  }

  /**
   * A command does not take a session from another process. Whether that process lives is for the sweep to judge: right after an
   * outage of the store nobody's lease holds, and all turns stay where they are.
   */
  async #claim(sessionId: SessionId, cause: StartCause): Promise<Fence | undefined> {
    if (cause === 'wake' && this.#parts.isShared === true) {
      const owner = (await this.#parts.store.readHeads([sessionId])).get(sessionId)?.owner
      if (owner !== undefined && owner !== this.#leases.claim.owner) return undefined
    }
    return this.#leases.claimNow(sessionId)
  }

  /**
   * Gives the client that asked for the turn the time to attach. Otherwise a model that answers at once has written
   * several deltas before, and the client gets them as one.
   */
  async #untilFollowed({ feed }: OpenSession): Promise<void> {
    await failpoint('runner.started')
    const { giveWay } = this.#parts
    if (giveWay !== undefined) await Promise.race([feed.joined(), giveWay()])
  }

  async #repair(session: OpenSession, fence: Fence, cause: StartCause): Promise<void> {
    const { id } = session
    const isAbandoned = cause === 'abandoned'
    const isFromDead = cause === 'takeover' || isAbandoned
    await repairTurn(session, fence, {
      parts: this.#parts,
      isFromDead,
      isAbandoned,
      owedCancel: () => this.#owedCancels.get(id),
    })
    this.#owedCancels.delete(id)
  }

  /**
   * The turn stays in the log as it is. When the storage recovers, it is repaired as after a crash, but no process
   * died, so the takeover does not count.
   */
  #retryLater(session: OpenSession): void {
    if (this.#retries.has(session.id)) return
    this.#retries.add(session.id)
    this.#parts.clock.setTimer(STORAGE_RETRY_MS, () => {
      this.#retries.delete(session.id)
      this.#suspects.delete(session.id)
      void this.#start(session, 'retry')
    })
  }
}
