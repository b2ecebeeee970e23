import {
  asUserId,
  createEngine,
  type AgentDefinition,
  type AgentOption,
  type ClusterParts,
  type ConversationMessage,
  type Engine,
  type EngineOptions,
  type EventStore,
  type Ids,
  type LogEntry,
  type NodeRole,
  type RecordedEvent,
  type SessionId,
  type Tool,
  type UserId,
} from '@polylogue/engine'
import { createFakeClock, type FakeClock } from './fake-clock.ts'
import { createFakeModel, type FakeModel } from './fake-model.ts'
import type { MemoryCluster } from './memory-cluster.ts'
import { createMemoryEventStore } from './memory-event-store.ts'
import { plainParts } from './plain-parts.ts'
import { plainSecretBox } from './plain-secret-box.ts'
import { testDigest } from './test-digest.ts'
import { createTestIds } from './test-ids.ts'

export interface TestEngineOptions {
  /** Other engines use the same store. */
  readonly isShared?: boolean
  /** How engines on one store know each other. Implies `isShared`. */
  readonly cluster?: MemoryCluster
  /** With a cluster. Default: `all`. */
  readonly role?: NodeRole
  /** With a cluster: how many sessions run here. */
  readonly slots?: number
  /** With a cluster: what sessions lack here. */
  readonly findMissing?: ClusterParts['findMissing']
  readonly tools?: readonly Tool[]
  readonly options?: readonly AgentOption[]
  /** Additional agents, for sub-agents. */
  readonly others?: readonly AgentDefinition[]
  readonly rules?: EngineOptions['rules']
  readonly workspaces?: EngineOptions['workspaces']
  readonly operator?: EngineOptions['operator']
  readonly memories?: EngineOptions['memories']
  /** If given, the agent is told about it. */
  readonly surroundings?: EngineOptions['surroundings']
  readonly prices?: EngineOptions['prices']
  readonly budgets?: EngineOptions['budgets']
  readonly usage?: EngineOptions['usage']
  readonly models?: EngineOptions['models']
  readonly sessionTools?: EngineOptions['sessionTools']
  readonly outputs?: EngineOptions['outputs']
  readonly giveWay?: EngineOptions['giveWay']
  readonly roles?: AgentDefinition['roles']
  readonly maxSteps?: number
  readonly recovery?: 'continue' | 'interrupt'
  readonly model?: FakeModel
  /** The store of an earlier engine. The new engine starts as after a crash of that engine. */
  readonly store?: EventStore
  readonly clock?: FakeClock
  /** The ids of an earlier engine, so that new ids are unique in the store. */
  readonly ids?: Ids
  /** Default: `tester`. With another name, existing sessions have no agent. */
  readonly agentName?: string
  /** Called for every log entry of the engine. */
  readonly onLog?: (entry: LogEntry) => void
}

export interface TestEngine {
  readonly engine: ReadingEngine
  readonly store: EventStore
  readonly clock: FakeClock
  readonly model: FakeModel
  readonly user: UserId
  readonly logged: readonly LogEntry[]
  recorded(sessionId: SessionId): Promise<readonly RecordedEvent[]>
  /** Resolves when the session is idle. */
  rest(sessionId: SessionId): Promise<void>
}

/** An engine whose histories can be read at once. */
export interface ReadingEngine extends Engine {
  readHistory(...asked: Parameters<Engine['streamHistory']>): Promise<readonly ConversationMessage[]>
}

let owners = 0

/** A complete engine in which every part is a fake. The agent is called `tester`. */
export function createTestEngine(options: TestEngineOptions = {}): TestEngine {
  const clock = options.clock ?? createFakeClock()
  const store = options.store ?? createMemoryEventStore({ clock })
  const model = options.model ?? createFakeModel()
  const logged: LogEntry[] = []
  const agent: AgentDefinition = {
    name: options.agentName ?? 'tester',
    version: '1.0.0',
    instructions: 'Test.',
    model,
    modelName: 'fake/model',
    tools: options.tools ?? [],
    options: options.options ?? [],
    features: {
      histories: ['compacted', 'full'],
      streams: ['delta', 'message', 'none'],
      clientTools: true,
      images: ['http', 'data'],
    },
    maxSteps: options.maxSteps ?? 10,
    ...(options.roles && { roles: options.roles }),
    ...(options.surroundings && { isToldSurroundings: true }),
  }
  const all = [agent, ...(options.others ?? [])]
  const ids = options.ids ?? createTestIds()
  const user = asUserId('ann')
  const prefix = ++owners
  const engine = createEngine({
    store,
    agents: { find: (name) => all.find((candidate) => candidate.name === name), list: () => all },
    clock,
    ids: {
      sessionId: ids.sessionId,
      turnId: () => `${ids.turnId()}_${prefix}` as ReturnType<typeof ids.turnId>,
      entryId: () => `${ids.entryId()}_${prefix}` as ReturnType<typeof ids.entryId>,
      toolCallId: ids.toolCallId,
    },
    digest: testDigest,
    secretBox: plainSecretBox,
    ...plainParts,
    ...((options.isShared || options.cluster) && { isShared: true }),
    ...(options.cluster && { cluster: options.cluster.join(`owner-${prefix}`, options) }),
    ...(options.rules && { rules: options.rules }),
    ...(options.workspaces && { workspaces: options.workspaces }),
    ...(options.operator && { operator: options.operator }),
    ...(options.memories && { memories: options.memories }),
    ...(options.surroundings && { surroundings: options.surroundings }),
    ...(options.prices && { prices: options.prices }),
    ...(options.budgets && { budgets: options.budgets }),
    ...(options.usage && { usage: options.usage }),
    ...(options.models && { models: options.models }),
    ...(options.giveWay && { giveWay: options.giveWay }),
    ...(options.sessionTools && { sessionTools: options.sessionTools }),
    ...(options.outputs && { outputs: options.outputs }),
    recovery: options.recovery ?? 'continue',
    owner: `owner-${prefix}`,
    log: (entry) => {
      logged.push(entry)
      options.onLog?.(entry)
    },
  })
  const readHistory: ReadingEngine['readHistory'] = async (...asked) =>
    Array.fromAsync(await engine.streamHistory(...asked))
  return {
    engine: { ...engine, readHistory },
    store,
    clock,
    model,
    user,
    logged,
    async recorded(sessionId) {
      const all: RecordedEvent[] = []
      // A page ends where it has enough bytes.
      for (;;) {
        const page = await store.readEvents(sessionId, all.length, 10_000)
        if (page.length === 0) return all
        all.push(...page.map((item) => item.event))
      }
    },
    async rest(sessionId) {
      const atRest = Promise.withResolvers<void>()
      const attachment = await engine.attach(user, sessionId, {
        after: { seq: 0 },
        reader: {
          recorded: ({ event }) => {
            if (event.type === 'turn.ended' || event.type === 'turn.paused') queueMicrotask(() => void check())
          },
          delta: () => undefined,
          closed: () => atRest.resolve(),
        },
      })
      async function check(): Promise<void> {
        if ((await engine.readSession(user, sessionId)).status !== 'running') atRest.resolve()
      }
      await check()
      await atRest.promise
      attachment.detach()
    },
  }
}
