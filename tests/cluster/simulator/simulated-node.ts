import {
  createFakeTool,
  createProcessStore,
  createTestEngine,
  type FakeClock,
  type FakeModel,
  type MemoryCluster,
  type TestEngine,
} from '@polylogue/testkit'
import type { EventStore, Ids, NodeRole, SessionId } from '@polylogue/engine'
import { CheckedReader } from './checked-reader.ts'
import type { Random } from './random.ts'

export interface World {
  readonly random: Random
  readonly clock: FakeClock
  readonly cluster: MemoryCluster
  readonly store: EventStore
  readonly ids: Ids
  /** The calls of the unsafe tool that ran, by id. */
  readonly runs: string[]
  /** The longest pause of a model after a word. */
  readonly wordMs: number
}

export interface NodePlan {
  readonly role: NodeRole
  /** How many sessions run there at once. */
  readonly slots: number
}

/** A third of the nodes only admit turns, and the others have little room, so that many turns begin by a job. */
export function planNode(random: Random): NodePlan {
  return { role: random.next() < 1 / 3 ? 'web' : 'all', slots: 1 + random.below(3) }
}

/** One process: an engine that can die, and whose storage can stand still. */
export class SimulatedNode {
  readonly test: TestEngine
  readonly readers: { readonly sessionId: SessionId; readonly reader: CheckedReader }[] = []
  isDead = false
  readonly #process: ReturnType<typeof createProcessStore>
  readonly #nodeId: string
  readonly #world: World
  #gate: PromiseWithResolvers<void> | undefined

  constructor(world: World, plan: NodePlan) {
    this.#world = world
    this.#process = createProcessStore(withGate(world.store, () => this.#gate?.promise))
    const tool = createFakeTool('act', {
      effect: 'unsafe',
      run: async ({ toolCallId }) => {
        world.runs.push(toolCallId)
        await pause(world, world.random.below(400))
        return { content: 'acted' }
      },
    })
    let nodeId = ''
    const join: MemoryCluster['join'] = (id, more) => world.cluster.join((nodeId = id), more)
    this.test = createTestEngine({
      store: this.#process,
      clock: world.clock,
      ids: world.ids,
      model: createTalkingModel(world),
      tools: [tool],
      cluster: { ...world.cluster, join },
      ...plan,
    })
    this.#nodeId = nodeId
  }

  start(): Promise<void> {
    return this.test.engine.start()
  }

  /** Like SIGKILL. */
  die(): void {
    this.isDead = true
    this.#process.die()
    this.#world.cluster.cut(this.#nodeId)
    for (const { reader } of this.readers) reader.isClosed = true
  }

  /** The storage of this process does not answer until `thaw`. What was asked meanwhile happens then. */
  freeze(): void {
    this.#gate ??= Promise.withResolvers()
  }

  thaw(): void {
    this.#gate?.resolve()
    this.#gate = undefined
  }

  async read(sessionId: SessionId): Promise<void> {
    const reader = new CheckedReader(this.#world.random.next() < 0.5 ? 'batches' : 'deltas')
    this.readers.push({ sessionId, reader })
    await this.test.engine.attach(this.test.user, sessionId, { after: { seq: 0 }, reader }).catch(() => reader.closed())
  }
}

function withGate(store: EventStore, gate: () => Promise<void> | undefined): EventStore {
  const wait =
    <A extends unknown[], T>(ask: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      await gate()
      return ask(...args)
    }
  return {
    ...store,
    append: wait(store.append),
    claim: wait(store.claim),
    renew: wait(store.renew),
    release: wait(store.release),
    saveDrafts: wait(store.saveDrafts),
    readHead: wait(store.readHead),
    readHeads: wait(store.readHeads),
    readEvents: wait(store.readEvents),
    wantedSessions: wait(store.wantedSessions),
  }
}

/** Says some words, and sometimes calls the tool. */
function createTalkingModel(world: World): FakeModel {
  const { random } = world
  return {
    requests: [],
    push: () => undefined,
    async *stream(request, signal) {
      const isAnswered = request.messages.at(-1)?.role === 'tool'
      for (let words = random.below(5); words >= 0; words--) {
        yield { type: 'text', text: `word${random.below(10)} ` }
        await pause(world, random.below(world.wordMs))
        if (signal.aborted) return
      }
      const acts = !isAnswered && random.next() < 0.4
      if (acts) yield { type: 'tool-call', id: `call_${random.below(1e9)}`, name: 'act', input: {} }
      const usage = { inputTokens: 1, outputTokens: 1 }
      yield { type: 'finished', finish: acts ? 'tool-calls' : 'stop', usage }
    },
  }
}

const pause = ({ clock }: World, ms: number): Promise<void> =>
  new Promise((resolve) => void clock.setTimer(ms, resolve))
