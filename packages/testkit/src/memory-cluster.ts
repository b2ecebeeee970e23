import {
  ALL_NODES,
  BusInbox,
  LOWEST_LEVEL,
  encodeBusText,
  type BusListener,
  type BusMessage,
  type Clock,
  type ClusterParts,
  type DispatchWorker,
  type KnownNode,
  type NodeBeat,
  type NodeFacts,
  type NodeRole,
  type SessionId,
  type SessionPlace,
} from '@polylogue/engine'

/** What happens to a message on its way to one node: the delays of its copies. Empty: it is lost. */
export type Delivery = (message: BusMessage) => readonly number[]

export interface NodeOptions extends Pick<ClusterParts, 'findMissing'> {
  readonly role?: NodeRole
  readonly slots?: number
}

export interface MemoryCluster {
  join(nodeId: string, more?: NodeOptions): ClusterParts
  /** The node neither sends nor gets anything any more. */
  cut(nodeId: string): void
  /** Cuts all nodes off from each other, or connects them again. */
  setUp(isUp: boolean): void
  /** Default: every message arrives once and at once. */
  deliver: Delivery
  /** The same for jobs. */
  deliverJob: (sessionId: SessionId) => readonly number[]
  readonly jobs: readonly SessionId[]
  /** What nodes are told about waiting sessions. */
  backlog: { readonly waiting: number; readonly oldestMs: number }
  readonly sent: readonly BusMessage[]
}

/** The nodes and the messages of engines that share a store in one process. Messages pass through their wire format. */
export function createMemoryCluster(clock: Clock): MemoryCluster {
  const members = new Map<string, { readonly listeners: BusListener[]; readonly upListeners: (() => void)[] }>()
  const known = new Map<string, KnownNode & NodeBeat>()
  const sent: BusMessage[] = []
  const places = new Map<SessionId, SessionPlace>()
  let isUp = true
  const dead = new Set<string>()
  const jobs: SessionId[] = []
  const workers = new Map<string, DispatchWorker>()
  const arrive = async (sessionId: SessionId): Promise<void> => {
    const free = [...workers.values()].filter((worker) => worker.room() > 0)
    for (const worker of free) {
      const isTaken = await worker.take(sessionId).then(
        () => true,
        () => false,
      )
      if (isTaken) return
    }
    await free.at(-1)?.giveUp(sessionId)
  }

  const cluster: MemoryCluster = {
    sent,
    jobs,
    deliver: () => [0],
    deliverJob: () => [0],
    backlog: { waiting: 0, oldestMs: 0 },
    setUp(next) {
      const wasUp = isUp
      isUp = next
      if (next && !wasUp) for (const { upListeners } of members.values()) for (const listener of upListeners) listener()
    },
    cut(nodeId) {
      dead.add(nodeId)
      members.delete(nodeId)
      workers.delete(nodeId)
    },
    join(nodeId, { role = 'all', slots = 1_000, findMissing } = {}) {
      const member = { listeners: [] as BusListener[], upListeners: [] as (() => void)[] }
      members.set(nodeId, member)
      const self: NodeFacts = { nodeId, role, version: '0', machine: 'test', pid: 1 }
      return {
        self,
        ...(findMissing && { findMissing }),
        nodes: {
          async beat(facts, leaseMs) {
            if (dead.has(nodeId)) return clock.now()
            const startedAt = known.get(nodeId)?.startedAt ?? clock.now()
            known.set(nodeId, {
              ...facts,
              startedAt,
              leaseUntil: clock.now() + leaseMs,
              isAlive: true,
              sessions: 0,
            })
            return clock.now()
          },
          leave: async () => void known.delete(nodeId),
          list: async () => [...known.values()].map((node) => ({ ...node, isAlive: node.leaseUntil > clock.now() })),
          leases: async () => [],
          countTurns: async () => 0,
          minLevel: async () => LOWEST_LEVEL,
          levelOf: async () => LOWEST_LEVEL,
          async bind(sessionId, { nodeId: runsOn, machine }) {
            const holder = places.get(sessionId)?.runsOn
            const isHeld = holder !== undefined && (known.get(holder)?.leaseUntil ?? 0) > clock.now()
            if (isHeld && holder !== runsOn) return false
            places.set(sessionId, { runsOn, machine })
            return true
          },
          async unbind(sessionId) {
            const { runsOn: _, ...place } = places.get(sessionId) ?? {}
            places.set(sessionId, place)
          },
          placeOf: async (sessionId) => places.get(sessionId) ?? {},
          async backlog() {
            const hasRoom = [...known.values()].some(({ leaseUntil, room = 0 }) => room > 0 && leaseUntil > clock.now())
            return { ...cluster.backlog, hasRoom }
          },
        },
        bus: {
          send(to, message) {
            if (dead.has(nodeId)) return
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
        slots,
        dispatcher: {
          send(sessionId) {
            if (dead.has(nodeId)) return
            jobs.push(sessionId)
            for (const ms of cluster.deliverJob(sessionId)) clock.setTimer(ms, () => void arrive(sessionId))
          },
          start: async (worker) => void workers.set(nodeId, worker),
          stop: async () => void workers.delete(nodeId),
          close: async () => undefined,
        },
      }
    },
  }
  return cluster
}
