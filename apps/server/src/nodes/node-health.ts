import type { Clock, LiveBus } from '@polylogue/engine'

/** Whether clients should come to this node. */
export interface Readiness {
  /** Why not, in a few words. */
  readonly lacks?: string
  /** What works more slowly at the moment. */
  readonly degraded: readonly string[]
}

export interface NodeHealth {
  /** The lease of this node was extended. */
  beat(): void
  readiness(): Readiness
}

/** The lease of a node has ended after this time: other nodes may take its turns. */
const LEASE_MS = 5_000

export function createNodeHealth(clock: Clock, bus: Pick<LiveBus, 'isUp'>): NodeHealth {
  let beatAt = clock.now()
  return {
    beat: () => void (beatAt = clock.now()),
    readiness() {
      const degraded = bus.isUp ? [] : ['messages between nodes']
      // The clock of the machine may have been put back.
      return Math.abs(clock.now() - beatAt) > LEASE_MS ? { lacks: 'database', degraded } : { degraded }
    },
  }
}
