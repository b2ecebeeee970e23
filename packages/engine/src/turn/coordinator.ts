import type { Failure, Recorded } from '../events/recorded-event.ts'
import { failpoint } from '../failpoint.ts'
import type { SessionId, TurnId } from '../ids.ts'
import { StorageFault, type Fence, type LeaseClaim } from '../ports/event-store.ts'
import { EngineError } from '../errors.ts'
import { findSessionAgent } from '../session/session-agent.ts'
import { FencedOff } from '../session/append-conflicts.ts'
import type { OpenSession } from '../session/open-session.ts'
import { ROOT, compactLoop } from './compact-loop.ts'
import { decideTakeover, endCutCompaction, isLeftOpen } from './decide-takeover.ts'
import { endTurn, nextQueuedTurn } from '../session/end-turn.ts'
import { runTurn } from './run-turn.ts'
import { isWanted, loopsOf } from '../state/session-state.ts'
import { RunnerLeases } from './runner-leases.ts'
import { findSuspects, tryOneByOne } from './suspects.ts'
import { RunnerStopped, stopReasonOf, type RunDeps, type StopReason } from './turn-deps.ts'
import type { EngineParts } from '../engine-parts.ts'

const STORAGE_RETRY_MS = 1_000

interface Runner {
  readonly session: OpenSession
  done: Promise<void>
  fence?: Fence
  turnId?: TurnId
  abort: AbortController
  nudge: PromiseWithResolvers<void>
  isNudged: boolean
}

/** `takeover`: the turn's process died. `retry`: the storage of this process failed. Both leave work to repair. */
type StartCause = 'wake' | 'takeover' | 'retry'

/** The place of a runner whose claim joins an append. Exactly one of its two methods is called. */
export interface PreparedRunner {
  readonly claim: LeaseClaim
  /** The append is stored. */
  start(fence: Fence): void
  /** The append was not stored. */
  dismiss(): void
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
  readonly #owedCancels = new Map<SessionId, { readonly turnId: TurnId; readonly reason: string }>()
  #isStopping = false

  constructor(parts: EngineParts, owner: string) {
    this.#parts = parts
    this.#leases = new RunnerLeases(parts, owner, this.#runners)
  }

  /** Called after recording something that a runner must handle. Starts a runner or wakes the running one. */
  wake(session: OpenSession): void {
    // A suspect that waits for its takeover runs only to end a cancelled turn.
    if (this.#suspects.has(session.id) && session.state.turn?.cancelled === undefined) return
    if (this.#suspects.has(session.id)) return void this.takeOver(session)
    void this.#start(session, 'wake')
  }

  /**
   * Reserves the session for a runner that starts when an append has claimed the session. `undefined`: the append must
   * not claim, and `wake` follows it.
   */
  prepare(session: OpenSession): PreparedRunner | undefined {
    if (this.#isStopping || this.isRunning(session.id) || isLeftOpen(session.state)) return undefined
    const stored = Promise.withResolvers<Fence | undefined>()
    const runner = this.#register(session)
    runner.done = stored.promise.then((fence) =>
      fence === undefined ? this.#dismiss(runner) : this.#run(runner, { cause: 'wake', fence }),
    )
    return {
      claim: this.#leases.claim,
      start: stored.resolve,
      dismiss: () => stored.resolve(undefined),
    }
  }

  /** Another process has appended to the session. Its command may concern the runner here. */
  moved(session: OpenSession, recorded: readonly Recorded[]): void {
    for (const { event } of recorded) {
      if (event.type === 'turn.cancel-requested') this.stopRunner(session.id, 'cancel', event.turnId)
    }
    if (this.#runners.has(session.id)) this.wake(session)
  }

  /** Repairs and continues a session whose runner died with its process. Resolves when the session is idle. */
  takeOver(session: OpenSession): Promise<void> {
    this.#suspects.delete(session.id)
    return this.#start(session, 'takeover')
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

  isRunning(sessionId: SessionId): boolean {
    return this.#runners.has(sessionId) || this.#retries.has(sessionId) || this.#suspects.has(sessionId)
  }

  /** Stops the runner's model and tools immediately. The reason decides what happens to the turn. */
  stopRunner(sessionId: SessionId, reason: StopReason, turnId?: TurnId): void {
    const runner = this.#runners.get(sessionId)
    if (runner !== undefined && (turnId === undefined || runner.turnId === turnId)) runner.abort.abort(reason)
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
      runner.isNudged = true
      runner.nudge.resolve()
      runner.nudge = Promise.withResolvers()
      return runner.done
    }
    if (this.#isStopping) return Promise.resolve()
    const started = this.#register(session)
    started.done = Promise.resolve().then(() => this.#run(started, { cause }))
    return started.done
  }

  #register(session: OpenSession): Runner {
    const runner: Runner = {
      session,
      done: Promise.resolve(),
      abort: new AbortController(),
      nudge: Promise.withResolvers(),
      isNudged: false,
    }
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
    try {
      fence = start.fence ?? (await this.#leases.claimNow(session.id))
      if (fence === undefined) return
      runner.fence = fence
      if (this.#parts.isShared === true && start.fence === undefined) await session.refresh()
      if (start.fence !== undefined) await this.#untilFollowed(session)
      else if (start.cause !== 'wake' || isLeftOpen(session.state))
        await this.#repair(session, fence, start.cause === 'takeover')
      await this.#runTurns(runner, fence)
      if (this.#isStopping) await this.#handOver(session, fence)
    } catch (error) {
      // Tools and model calls must stop, because their results can no longer be recorded.
      runner.abort.abort('fenced' satisfies StopReason)
      const isFenced = error instanceof FencedOff || session.isStale
      if (error instanceof RunnerStopped && this.#isStopping && fence !== undefined && !isFenced) {
        return await this.#handOver(session, fence)
      }
      if (error instanceof RunnerStopped || isFenced) return
      if (error instanceof EngineError && error.code === 'session-not-found') return
      log({ level: 'error', message: 'a runner failed', sessionId: session.id, error })
      if (error instanceof StorageFault) return this.#retryLater(session)
      if (fence !== undefined) await this.#endBroken(session, fence, failureOf(error))
    } finally {
      if (session.state.turn?.turnId !== this.#owedCancels.get(session.id)?.turnId) this.#owedCancels.delete(session.id)
      this.#runners.delete(session.id)
      if (fence !== undefined && !session.hasReleased(fence)) await this.#leases.release(session.id, fence)
      this.#wakeIfNudged(runner)
    }
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

  async #runTurns(runner: Runner, fence: Fence): Promise<void> {
    const { session } = runner
    for (;;) {
      if (session.hasReleased(fence)) return
      runner.isNudged = false
      const { turn } = session.state
      runner.turnId = turn?.turnId
      if (turn === undefined && session.state.isCompactionWanted) {
        await this.#compact(runner, fence)
        if (runner.abort.signal.aborted) return
        continue
      }
      if (turn?.status !== 'running') return
      if (this.#isStopping && turn.answeredSteps === 0 && turn.step === undefined) return
      if (stopReasonOf(runner.abort.signal) === 'cancel') runner.abort = new AbortController()
      if (runner.abort.signal.aborted) return
      if (turn.cancelled !== undefined) runner.abort.abort('cancel' satisfies StopReason)
      const deps: RunDeps = {
        ...this.#parts,
        session,
        fence,
        signal: runner.abort.signal,
        nudged: () => runner.nudge.promise,
      }
      await runTurn(turn, deps)
    }
  }

  async #compact(runner: Runner, fence: Fence): Promise<void> {
    const { session } = runner
    const agent = findSessionAgent(session.state, session.state.agent, this.#parts)
    const signal = runner.abort.signal
    const deps: RunDeps = { ...this.#parts, session, fence, signal, nudged: () => runner.nudge.promise }
    if (agent !== undefined) await compactLoop(ROOT, [agent], { trigger: 'manual' }, deps)
  }

  async #repair(session: OpenSession, fence: Fence, isFromDead: boolean): Promise<void> {
    const { store } = this.#parts
    const drafts = await store.readDrafts(session.id)
    await session.commit((state) => {
      const { turn: left } = state
      const cut = endCutCompaction(state)
      if (left?.status !== 'running') return { events: cut }
      const owed = this.#owedCancels.get(session.id)
      const turn = owed?.turnId === left.turnId ? { ...left, cancelled: left.cancelled ?? owed.reason } : left
      const clearDrafts = loopsOf(turn).flatMap(({ step }) => (step?.phase === 'asking' ? [step.stepId] : []))
      return { events: [...cut, ...decideTakeover(state, turn, drafts, { ...this.#parts, isFromDead })], clearDrafts }
    }, fence)
    this.#owedCancels.delete(session.id)
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

  /** After a bug the turn ends as failed. Otherwise it would be listed as running forever. */
  async #endBroken(session: OpenSession, fence: Fence, error: Failure): Promise<void> {
    const { log } = this.#parts
    try {
      await session.commit((state) => {
        if (state.turn === undefined) return { events: [] }
        const ended = endTurn(state.turn, {
          outcome: 'failed',
          error,
          openCalls: `Tool call cancelled: ${error.code === 'internal' ? 'internal error' : error.message}`,
        })
        return { events: [...ended, ...nextQueuedTurn(state, this.#parts)] }
      }, fence)
      this.wake(session)
    } catch (error) {
      log({ level: 'error', message: 'a broken turn could not be ended', sessionId: session.id, error })
    }
  }

  /** An orderly stop is not the turn's fault, so the next process does not count it as a crash. */
  async #handOver(session: OpenSession, fence: Fence): Promise<void> {
    try {
      await session.commit(({ turn }) => {
        const isLeft = turn?.status === 'running' && turn.isHandedOver !== true
        return { events: isLeft ? [{ type: 'turn.handed-over', turnId: turn.turnId }] : [] }
      }, fence)
    } catch (error) {
      if (error instanceof FencedOff || session.isGone) return
      this.#parts.log({ level: 'warn', message: 'a turn could not be handed over', sessionId: session.id, error })
    }
  }
}

/** The error that ends a turn after its runner failed. */
function failureOf(error: unknown): Failure {
  if (error instanceof EngineError && error.code === 'quota-exceeded')
    return { code: error.code, message: error.message }
  return { code: 'internal', message: 'The server had an internal error during this turn.' }
}
