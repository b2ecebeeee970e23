import type { ConsoleDeps } from '@polylogue/console'
import { LOWEST_LEVEL, type NodeFacts, type Nodes } from '@polylogue/engine'
import type { RunningTurns } from '../observe/running-turns.ts'

const MOST_LEASES = 1_000

export interface ListNodesDeps {
  readonly self: NodeFacts
  /** Absent: the storage is not shared, so there is only this node. */
  readonly nodes?: Nodes
  readonly turns: Pick<RunningTurns, 'count' | 'sessionIds'>
  startedAt(): number
}

export function listNodes({ self, nodes, turns, startedAt }: ListNodesDeps): ConsoleDeps['nodes'] {
  if (nodes === undefined) {
    return async () => ({
      nodes: [
        { ...self, level: levelOf(self), startedAt: startedAt(), isAlive: true, isSelf: true, sessions: turns.count },
      ],
      leases: turns
        .sessionIds()
        .slice(0, MOST_LEASES)
        .map((sessionId) => ({ sessionId, nodeId: self.nodeId })),
    })
  }
  return async () => {
    const [known, leases] = await Promise.all([nodes.list(), nodes.leases({ limit: MOST_LEASES })])
    return {
      nodes: known.map((node) => ({ ...node, level: levelOf(node), isSelf: node.nodeId === self.nodeId })),
      leases: leases.map(({ sessionId, nodeId }) => ({ sessionId, nodeId })),
    }
  }
}

const levelOf = ({ level = LOWEST_LEVEL }: NodeFacts): number => level
