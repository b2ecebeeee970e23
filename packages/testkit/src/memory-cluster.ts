import {
  ALL_NODES,
  BusInbox,
  encodeBusText,
  type BusListener,
  type BusMessage,
  type Clock,
  type ClusterParts,
  type KnownNode,
  type NodeFacts,
} from '@polylogue/engine'

/** What happens to a message on its way to one node: the delays of its copies. Empty: it is lost. */
export type Delivery = (message: BusMessage) => readonly number[]

export interface MemoryCluster {
  join(nodeId: string): ClusterParts
  /** Cuts all nodes off from each other, or connects them again. */
  setUp(isUp: boolean): void
  /** Default: every message arrives once and at once. */
  deliver: Delivery
  readonly sent: readonly BusMessage[]
}

/** The nodes and the messages of engines that share a store in one process. Messages pass through their wire format. */
export function createMemoryCluster(clock: Clock): MemoryCluster {
  const members = new Map<string, { readonly listeners: BusListener[]; readonly upListeners: (() => void)[] }>()
  const known = new Map<string, KnownNode>()
  const sent: BusMessage[] = []
  let isUp = true

  const cluster: MemoryCluster = {
    sent,
    deliver: () => [0],
    setUp(next) {
      const wasUp = isUp
      isUp = next
      if (next && !wasUp) for (const { upListeners } of members.values()) for (const listener of upListeners) listener()
    },
    join(nodeId) {
      const member = { listeners: [] as BusListener[], upListeners: [] as (() => void)[] }
      members.set(nodeId, member)
      const self: NodeFacts = { nodeId, role: 'all', version: '0', machine: 'test', pid: 1 }
      return {
        self,
        nodes: {
          async beat(facts, leaseMs) {
            const startedAt = known.get(nodeId)?.startedAt ?? clock.now()
            known.set(nodeId, {
              ...facts,
              startedAt,
              leaseUntil: clock.now() + leaseMs,
              isAlive: true,
              sessions: 0,
            })
          },
          leave: async () => void known.delete(nodeId),
          list: async () => [...known.values()].map((node) => ({ ...node, isAlive: node.leaseUntil > clock.now() })),
          leases: async () => [],
        },
        bus: {
          send(to, message) {
            sent.push(message)
            const text = encodeBusText(nodeId, message)
            for (const [id, { listeners }] of members) {
              if (id === nodeId || (to !== ALL_NODES && to !== id)) continue
              for (const ms of isUp ? cluster.deliver(message) : []) {
                const arrive = (): void => {
                  const opened = new BusInbox().open(text)
                  for (const arrived of opened?.messages ?? []) {
                    for (const listener of listeners) listener(nodeId, arrived)
                  }
                }
                if (ms === 0) queueMicrotask(arrive)
                else clock.setTimer(ms, arrive)
              }
            }
          },
          onMessage: (listener) => void member.listeners.push(listener),
          get isUp() {
            return isUp
          },
          onUp: (listener) => void member.upListeners.push(listener),
          close: async () => void members.delete(nodeId),
        },
      }
    },
  }
  return cluster
}
