import {
  calls,
  createFakeClock,
  createFakeModel,
  createFakeTool,
  createMemoryCluster,
  createMemoryEventStore,
  createTestEngine,
  finishes,
  hangs,
  startSession,
  untilQuiet,
  useSession,
  type FakeClock,
  type MemoryCluster,
} from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { StorageFault, type EventStore, type Recorded, type ToolInvocation } from '../index.ts'

/** A storage that a process can be cut off from: its calls are refused, never answered, or wait until it goes on. */
class CutStorage {
  how: 'refused' | 'silent' | 'frozen' | undefined
  #goOn = Promise.withResolvers<void>()

  goOn(): void {
    this.how = undefined
    this.#goOn.resolve()
    this.#goOn = Promise.withResolvers()
  }

  /** The same object behind the cut. */
  behind<T extends object>(inner: T): T {
    const guarded = Object.entries(inner).map(([name, ask]: [string, unknown]) => {
      if (typeof ask !== 'function') return [name, ask]
      const asked = async (...args: readonly unknown[]): Promise<unknown> => {
        if (this.how === 'silent') return new Promise(() => undefined)
        if (this.how === 'frozen') await this.#goOn.promise
        if (this.how === 'refused') throw new StorageFault('busy', 'The database does not answer at the moment.')
        return Reflect.apply(ask, inner, args)
      }
      return [name, asked]
    })
    return Object.fromEntries(guarded) as T
  }

  cluster(inner: MemoryCluster): MemoryCluster {
    const join: MemoryCluster['join'] = (...args) => {
      const parts = inner.join(...args)
      return { ...parts, nodes: this.behind(parts.nodes) }
    }
    return { ...inner, join }
  }
}

async function setUp() {
  const clock = createFakeClock()
  const inner = createMemoryEventStore({ clock })
  const cluster = createMemoryCluster(clock)
  const own = new CutStorage()
  const signals: AbortSignal[] = []
  const slow = createFakeTool('slow', {
    effect: 'unsafe',
    run: ({ signal }: ToolInvocation) => (signals.push(signal), hangs()),
  })
  const one = await startSession({
    store: own.behind(inner),
    clock,
    cluster: own.cluster(cluster),
    tools: [slow],
    model: createFakeModel([calls('c', 'slow'), finishes('tool-calls')]),
  })
  const two = useSession(createTestEngine({ store: inner, clock, cluster, tools: [slow] }), one.sessionId)
  await one.engine.start()
  await two.engine.start()
  await pass(clock, 6_000)
  await one.say('go')
  await pass(clock, 500)
  return { clock, one, two, own, signals }
}

async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let waited = 0; waited < ms; waited += 50) {
    await untilQuiet()
    clock.advance(50)
  }
  await untilQuiet()
}

describe('a process that does not reach the store', () => {
  it.each(['refused', 'silent'] as const)(
    'cluster 37: stops its tools after 15 s, and another process continues (%s)',
    async (how) => {
      const { clock, one, two, own, signals } = await setUp()
      own.how = how
      await pass(clock, 14_000)
      expect(signals.map(({ aborted }) => aborted)).toEqual([false])
      await pass(clock, 1_500)
      expect(signals.map(({ aborted }) => aborted)).toEqual([true])
      const events = await two.events()
      expect(events.at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'finished' })
      expect(events.filter(({ type }) => type === 'turn.taken-over')).toMatchObject([{ count: 1 }])
      expect(events.filter(({ type }) => type === 'tool-call.started')).toHaveLength(1)
      expect(one.model.requests).toHaveLength(1)
    },
  )

  it('cluster 36: that was frozen for longer than its lease records nothing more and ends its tools, 20 times', async () => {
    for (let round = 0; round < 20; round++) {
      const { clock, one, two, own, signals } = await setUp()
      await pass(clock, round * 100)
      own.how = 'frozen'
      await pass(clock, 12_000)
      const before = await two.events()
      expect(before.at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'finished' })
      own.goOn()
      await pass(clock, 3_000)
      expect(signals.map(({ aborted }) => aborted)).toEqual([true])
      expect(await two.events()).toEqual(before)
      expect(await one.events()).toEqual(before)
      expect(before.filter(({ type }) => type === 'tool-call.started')).toHaveLength(1)
      expect(before.filter(({ type }) => type === 'tool-call.settled')).toMatchObject([{ status: 'unknown' }])
    }
  })

  it('cluster 38: continues with its turn after an outage for everybody, and it does not count as a takeover', async () => {
    const clock = createFakeClock()
    const own = new CutStorage()
    const store = own.behind<EventStore>(createMemoryEventStore({ clock }))
    const cluster = own.cluster(createMemoryCluster(clock))
    const one = await startSession({ store, clock, cluster, model: createFakeModel([hangs]) })
    const two = useSession(createTestEngine({ store, clock, cluster }), one.sessionId)
    await one.engine.start()
    await two.engine.start()
    await pass(clock, 6_000)
    await one.say('go')
    await pass(clock, 500)
    own.how = 'refused'
    await pass(clock, 60_000)
    own.how = undefined
    await pass(clock, 3_000)
    expect(two.model.requests).toEqual([])
    const events = await one.events()
    expect(events.filter(({ type }) => type === 'turn.taken-over')).toMatchObject([{ count: 0 }])
    expect(events.at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'finished' })
  })

  it('cluster 38: keeps its turn when a command reaches another process first after an outage', async () => {
    const clock = createFakeClock()
    const own = new CutStorage()
    const store = own.behind<EventStore>(createMemoryEventStore({ clock }))
    const cluster = own.cluster(createMemoryCluster(clock))
    const one = await startSession({ store, clock, cluster, model: createFakeModel([hangs]) })
    const two = useSession(createTestEngine({ store, clock, cluster }), one.sessionId)
    await one.engine.start()
    await two.engine.start()
    await pass(clock, 6_000)
    await one.say('go')
    await pass(clock, 500)
    own.how = 'refused'
    await pass(clock, 10_000)
    own.how = undefined
    await two.say('more', { whenRunning: 'queue' })
    await pass(clock, 3_000)
    expect(await one.types()).not.toContain('turn.taken-over')
    expect(two.model.requests).toEqual([])
  })

  it('shows its readers soon afterwards what they missed, also if nothing is appended any more', async () => {
    const clock = createFakeClock()
    const inner = createMemoryEventStore({ clock })
    const cluster = createMemoryCluster(clock)
    const own = new CutStorage()
    const one = await startSession({ store: inner, clock, cluster })
    const parts = { store: own.behind(inner), clock, cluster: own.cluster(cluster) }
    const two = useSession(createTestEngine(parts), one.sessionId)
    await one.engine.start()
    await two.engine.start()
    const seen: string[] = []
    const reader = { recorded: ({ event }: Recorded) => void seen.push(event.type), delta: () => undefined }
    const at = { after: { seq: 0 }, reader: { ...reader, closed: () => undefined } }
    await two.engine.attach(two.user, two.sessionId, at)
    await pass(clock, 3_000)
    own.how = 'refused'
    await one.say('go')
    await pass(clock, 3_000)
    expect(seen).not.toContain('turn.started')
    own.how = undefined
    await pass(clock, 1_000)
    expect(seen).toContain('turn.ended')
  })

  it('cluster 38: refuses commands within seconds when the store answers nothing', async () => {
    const { clock, one, own } = await setUp()
    own.how = 'silent'
    const refused = one.say('more').catch((error: unknown) => error)
    await pass(clock, 7_000)
    expect(await refused).toMatchObject({ code: 'storage-busy' })
    own.how = undefined
  })

  it.each(['refused', 'silent'] as const)('cluster 38: answers a cancel within a second (%s)', async (how) => {
    const { clock, one, own, signals } = await setUp()
    own.how = how
    const answer = one.cancel()
    await pass(clock, 900)
    expect(await answer).toEqual({ cancelled: true })
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  })
})
