import type { ClusterParts, EngineParts } from '../engine-parts.ts'
import { EngineError } from '../errors.ts'
import { ownLevel } from '../events/levels.ts'
import type { SessionId } from '../ids.ts'
import type { DispatchWorker } from '../ports/dispatcher.ts'
import type { NodeRole } from '../ports/nodes.ts'
import type { OpenSession } from '../session/open-session.ts'
import type { OpenSessions } from '../session/open-sessions.ts'
import { isWanted } from '../state/session-state.ts'
import type { Coordinator, RunRefusal } from '../turn/coordinator.ts'
import type { SessionBindings } from './session-bindings.ts'

type TurnDispatchParts = Pick<EngineParts, 'store' | 'agents' | 'clock'> & { readonly cluster: ClusterParts }

interface TurnDispatchDeps {
  readonly sessions: OpenSessions
  readonly coordinator: Coordinator
  readonly bindings: SessionBindings
}

interface PassedOn {
  /** When this process first sent a job for the session. */
  readonly since: number
  /** When it last did. */
  readonly sentAt: number
}

/** Beyond these, new turns are refused: nobody would begin them in time. */
const MOST_WAITING = 1_000
const LONGEST_WAIT_MS = 30_000
const BACKLOG_FRESH_MS = 1_000

/** Which turns this process runs, and how other processes get the rest. */
export class TurnDispatch implements DispatchWorker {
  readonly #parts: TurnDispatchParts
  readonly #deps: TurnDispatchDeps
  /** Sessions without a runner that lack files or their agent here. */
  readonly #passedOn = new Map<SessionId, PassedOn>()
  #backlog: { readonly readAt: number; readonly isFull: Promise<boolean> } | undefined

  constructor(parts: TurnDispatchParts, deps: TurnDispatchDeps) {
    this.#parts = parts
    this.#deps = deps
  }

  /** Whether this process takes turns that nobody runs. */
  get isWorker(): boolean {
    return runsTurnsOfOthers(this.#parts.cluster.self.role)
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
    const { waiting, oldestMs, hasRoom } = await this.#parts.cluster.nodes.backlog()
    return waiting > MOST_WAITING || (oldestMs > LONGEST_WAIT_MS && !hasRoom)
  }

  /** What the session needs of the file system and this process does not have. An editor here has its own files. */
  async findMissing({ id: sessionId, state }: OpenSession): Promise<string | undefined> {
    const { findMissing } = this.#parts.cluster
    if (this.#deps.bindings.has(sessionId)) return undefined
    return findMissing?.({ sessionId, agent: state.agent, directories: state.settings.directories })
  }

  async refusal(session: OpenSession): Promise<RunRefusal | undefined> {
    const missing = await this.findMissing(session)
    if (missing === undefined) return undefined
    return (await this.#hasOtherWorkers()) ? { type: 'elsewhere' } : { type: 'nowhere', reason: nobodyHas(missing) }
  }

  async #hasOtherWorkers(): Promise<boolean> {
    const { nodes, self } = this.#parts.cluster
    const others = (await nodes.list()).filter(({ nodeId, isAlive }) => isAlive && nodeId !== self.nodeId)
    return others.some(({ role }) => runsTurnsOfOthers(role))
  }

  /**
   * Called while a session waits for a runner and this process lacks its files or its agent. Somebody must end a turn that nobody
   * can run.
   */
  passOn(sessionId: SessionId): void {
    const passedOn = this.#passedOn.get(sessionId)
    // The job may have been lost.
    const isDue = passedOn === undefined || this.#parts.clock.now() - passedOn.sentAt >= LONGEST_WAIT_MS
    if (isDue) this.#sendAway(sessionId)
  }

  #sendAway(sessionId: SessionId): void {
    const sentAt = this.#parts.clock.now()
    this.#passedOn.set(sessionId, { since: this.#passedOn.get(sessionId)?.since ?? sentAt, sentAt })
    this.#parts.cluster.dispatcher.send(sessionId)
  }

  /** These sessions, and no others, wait for a runner. */
  stillWaiting(sessionIds: readonly SessionId[]): void {
    const waiting = new Set(sessionIds)
    for (const id of this.#passedOn.keys()) if (!waiting.has(id)) this.#passedOn.delete(id)
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
    const missing = await this.findMissing(session)
    if (missing !== undefined) throw new Error(`this node does not have ${missing}`)
    const heads = await this.#parts.store.readHeads([sessionId])
    // Whether its owner lives is for the sweep to judge.
    if (heads.get(sessionId)?.owner === undefined && this.admits()) coordinator.wake(session)
  }

  async giveUp(sessionId: SessionId): Promise<void> {
    const { sessions, coordinator } = this.#deps
    const session = await sessions.find(sessionId)
    if (session === undefined || !isWanted(session.state) || coordinator.isRunning(sessionId)) return
    const { agent } = session.state
    const missing = await this.findMissing(session)
    const isKnown = this.#parts.agents.find(agent) !== undefined
    if (!isKnown) return coordinator.giveUp(session, `No node could run the agent ${agent}.`)
    // Only other nodes have failed.
    if (missing === undefined) return this.admits() ? coordinator.wake(session) : undefined
    const now = this.#parts.clock.now()
    const { since } = this.#passedOn.get(sessionId) ?? { since: now }
    // A node that has the files may have been too slow to take a job, or have no room yet.
    const isEarly = now - since < LONGEST_WAIT_MS && (await this.#hasOtherWorkers())
    if (!isEarly) return coordinator.giveUp(session, nobodyHas(missing))
    this.#sendAway(sessionId)
  }
}

/** An editor and an errand run only what they began. */
const runsTurnsOfOthers = (role: NodeRole): boolean => role === 'all' || role === 'worker'

const nobodyHas = (missing: string): string => `No node that runs turns has ${missing}.`
