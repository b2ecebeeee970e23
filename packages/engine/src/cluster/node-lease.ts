import type { ClusterParts, EngineParts } from '../engine-parts.ts'
import type { SessionId } from '../ids.ts'
import type { Timer } from '../ports/clock.ts'
import { LEASE_MS } from '../turn/runner-leases.ts'

const BEAT_MS = LEASE_MS / 3
const BEATS_PER_CHECK = 3
const MOST_CHECKED = 10_000

type NodeLeaseParts = Pick<EngineParts, 'store' | 'clock' | 'log'> & { readonly cluster: ClusterParts }

/** What the others are told of the turns here. */
interface LeaseRunner {
  isRunning(sessionId: SessionId): boolean
  /** How many more turns of others this process could run. `undefined`: it runs none of them. */
  room(): number | undefined
}

/**
 * The lease of this process. It is extended at intervals, whether or not the process runs anything. While it holds, nobody
 * else may claim a session of this process, so a session without a runner here must be given up.
 */
export class NodeLease {
  readonly #parts: NodeLeaseParts
  readonly #runner: LeaseRunner
  #timer: Timer | undefined
  #beats = 0
  #isStopped = false
  /** Sessions that had no runner at the last check, and their epochs then. */
  #idle = new Map<SessionId, number>()

  constructor(parts: NodeLeaseParts, runner: LeaseRunner) {
    this.#parts = parts
    this.#runner = runner
  }

  /** Resolves when the others know this process. */
  async start(): Promise<void> {
    await this.#extend()
    this.#schedule()
  }

  /** Nothing runs here any more. */
  async stop(): Promise<void> {
    if (this.#isStopped) return
    this.#isStopped = true
    this.#timer?.cancel()
    const { nodes, self } = this.#parts.cluster
    // Otherwise the lease ends by itself.
    await nodes.leave(self.nodeId).catch((error: unknown) => {
      this.#parts.log({ level: 'warn', message: 'the lease of this node was not ended', error })
    })
  }

  #schedule(): void {
    this.#timer = this.#parts.clock.setTimer(BEAT_MS, () => {
      void this.#beat().finally(() => {
        if (!this.#isStopped) this.#schedule()
      })
    })
  }

  async #extend(): Promise<void> {
    const { cluster, clock } = this.#parts
    const room = this.#runner.room()
    const askedAt = clock.now()
    const storageNow = await cluster.nodes.beat({ ...cluster.self, ...(room !== undefined && { room }) }, LEASE_MS)
    cluster.onBeat?.(storageNow, clock.now() - askedAt)
  }

  async #beat(): Promise<void> {
    try {
      await this.#extend()
      if (++this.#beats % BEATS_PER_CHECK === 0) await this.#giveUpIdle()
    } catch (error) {
      this.#parts.log({ level: 'warn', message: 'the lease of this node was not extended', error })
    }
  }

  /**
   * Releases sessions whose release failed before. A claim may be on its way to its runner, so a session is released only
   * if it had no runner at two checks in a row.
   */
  async #giveUpIdle(): Promise<void> {
    const { cluster, store } = this.#parts
    const { nodeId } = cluster.self
    const leases = await cluster.nodes.leases({ nodeId, limit: MOST_CHECKED })
    const idle = leases.filter(({ sessionId }) => !this.#runner.isRunning(sessionId))
    const before = this.#idle
    this.#idle = new Map(idle.map(({ sessionId, epoch }) => [sessionId, epoch]))
    for (const { sessionId, epoch } of idle) {
      if (before.get(sessionId) === epoch) await store.release(sessionId, { owner: nodeId, epoch })
    }
  }
}
