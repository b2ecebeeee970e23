import type { ClusterParts, EngineParts } from '../engine-parts.ts'
import { EngineError } from '../errors.ts'
import { ownLevel } from '../events/levels.ts'
import type { SessionId } from '../ids.ts'
import type { DispatchWorker } from '../ports/dispatcher.ts'
import type { OpenSessions } from '../session/open-sessions.ts'
import { isWanted } from '../state/session-state.ts'
import type { Coordinator } from '../turn/coordinator.ts'

type TurnDispatchParts = Pick<EngineParts, 'store' | 'agents' | 'clock'> & { readonly cluster: ClusterParts }

interface TurnDispatchDeps {
  readonly sessions: OpenSessions
  readonly coordinator: Coordinator
}

/** Beyond these, new turns are refused: nobody would begin them in time. */
const MOST_WAITING = 1_000
const LONGEST_WAIT_MS = 30_000
const BACKLOG_FRESH_MS = 1_000

/** Which turns this process runs, and how other processes get the rest. */
export class TurnDispatch implements DispatchWorker {
  readonly #parts: TurnDispatchParts
  readonly #deps: TurnDispatchDeps
  #backlog: { readonly readAt: number; readonly isFull: Promise<boolean> } | undefined

  constructor(parts: TurnDispatchParts, deps: TurnDispatchDeps) {
    this.#parts = parts
    this.#deps = deps
  }

  /** Whether this process takes turns that nobody runs. An editor and an errand run only what they began. */
  get isWorker(): boolean {
    const { role } = this.#parts.cluster.self
    return role === 'all' || role === 'worker'
  }

  /** Whether a new turn may begin here. */
  admits(): boolean {
    return this.#parts.cluster.self.role !== 'web' && this.room() > 0
  }

  room(): number {
    return Math.max(0, this.#parts.cluster.slots - this.#deps.coordinator.count)
  }

  /** Refuses a turn that would wait too long for a runner. */
  async refuseIfFull(): Promise<void> {
    if (this.admits()) return
    const now = this.#parts.clock.now()
    if (this.#backlog === undefined || now - this.#backlog.readAt >= BACKLOG_FRESH_MS) {
      this.#backlog = { readAt: now, isFull: this.#isFull() }
    }
    if (await this.#backlog.isFull) {
      throw new EngineError('storage-busy', 'all nodes are busy; try again in a moment')
    }
  }

  async #isFull(): Promise<boolean> {
    const { waiting, oldestMs } = await this.#parts.cluster.nodes.backlog()
    return waiting > MOST_WAITING || oldestMs > LONGEST_WAIT_MS
  }

  async take(sessionId: SessionId): Promise<void> {
    const { sessions, coordinator } = this.#deps
    // This node could not read the log. Nodes that can also look for sessions without a runner.
    if ((await this.#parts.cluster.nodes.levelOf(sessionId)) > ownLevel()) return
    const session = await sessions.find(sessionId)
    if (session === undefined || !isWanted(session.state) || coordinator.isRunning(sessionId)) return
    if (this.#parts.agents.find(session.state.agent) === undefined) {
      throw new Error(`this node does not offer the agent ${session.state.agent}`)
    }
    const heads = await this.#parts.store.readHeads([sessionId])
    // Whether its owner lives is for the sweep to judge.
    if (heads.get(sessionId)?.owner === undefined && this.admits()) coordinator.wake(session)
  }

  async giveUp(sessionId: SessionId): Promise<void> {
    const { sessions, coordinator } = this.#deps
    const session = await sessions.find(sessionId)
    if (session === undefined || !isWanted(session.state) || coordinator.isRunning(sessionId)) return
    await coordinator.giveUp(session, `No node could run the agent ${session.state.agent}.`)
  }
}
