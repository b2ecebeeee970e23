import type { ClusterParts } from '../engine-parts.ts'
import type { SessionId } from '../ids.ts'
import { StorageFault } from '../ports/event-store.ts'

/** The sessions that only this process may run, because something they need is here: an editor, or a server it brought. */
export class SessionBindings {
  readonly #cluster: ClusterParts
  /** How often each session is held here. */
  readonly #holders = new Map<SessionId, number>()
  readonly #bound = new Set<SessionId>()

  constructor(cluster: ClusterParts) {
    this.#cluster = cluster
  }

  has(sessionId: SessionId): boolean {
    return this.#bound.has(sessionId)
  }

  /** It is held here, and another process had it when this one asked. */
  isAwaited(sessionId: SessionId): boolean {
    return this.#holders.has(sessionId) && !this.#bound.has(sessionId)
  }

  /** Returns how to end it. While another live process has the session, this one only reads it. */
  async hold(sessionId: SessionId): Promise<() => void> {
    this.#change(sessionId, 1)
    let isHeld = true
    const letGo = (): void => {
      if (isHeld) this.#change(sessionId, -1)
      isHeld = false
    }
    try {
      await this.bind(sessionId)
    } catch (error) {
      letGo()
      throw error
    }
    return letGo
  }

  /** Binds a session that is held here, unless another live process has it. To be tried again until it succeeds. */
  async bind(sessionId: SessionId): Promise<void> {
    if (this.#bound.has(sessionId) || !this.#holders.has(sessionId)) return
    const { nodes, self } = this.#cluster
    if (!(await nodes.bind(sessionId, self))) return
    this.#bound.add(sessionId)
    if (!this.#holders.has(sessionId)) this.#unbind(sessionId)
  }

  /** Why this process may not run the session. It is asked only after it has claimed the session. */
  async refusal(sessionId: SessionId): Promise<string | undefined> {
    const { nodes, self } = this.#cluster
    const { machine } = await nodes.placeOf(sessionId)
    if (machine === undefined || machine === self.machine) return undefined
    return `The directories of this session are on the machine ${machine}, where no server is running.`
  }

  /** The session was bound to a process that is dead now. */
  async isAbandoned(sessionId: SessionId): Promise<boolean> {
    const { runsOn } = await this.#cluster.nodes.placeOf(sessionId)
    return runsOn !== undefined && runsOn !== this.#cluster.self.nodeId
  }

  #change(sessionId: SessionId, by: number): void {
    const count = (this.#holders.get(sessionId) ?? 0) + by
    if (count > 0) return void this.#holders.set(sessionId, count)
    this.#holders.delete(sessionId)
    this.#unbind(sessionId)
  }

  #unbind(sessionId: SessionId): void {
    if (!this.#bound.delete(sessionId)) return
    const { nodes, self } = this.#cluster
    // Otherwise the binding ends with this process.
    nodes.unbind(sessionId, self.nodeId).catch((error: unknown) => {
      if (!(error instanceof StorageFault)) throw error
    })
  }
}
