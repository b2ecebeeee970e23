import {
  createFakeClock,
  createFakeModel,
  createFakeTool,
  createMemoryEventStore,
  createProcessStore,
  createReaderLog,
  createTestEngine,
  calls,
  finishes,
  hangs,
  says,
  startSession,
  untilQuiet,
  useSession,
  type FakeClock,
  type FakeModel,
  type ReaderLog,
  type TestSession,
} from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { StorageFault, asSessionId, type EventStore } from '../index.ts'

/** Two engines on one store. The session is made by the first one. */
async function startTwo(model: FakeModel = createFakeModel([hangs]), other: FakeModel = createFakeModel()) {
  const clock = createFakeClock()
  const store = createMemoryEventStore({ clock })
  const process = createProcessStore(store)
  const tools = [createFakeTool('slow', { run: hangs, effect: 'unsafe' })]
  const one = await startSession({ store: process, clock, model, tools, isShared: true })
  const two = useSession(createTestEngine({ store, clock, model: other, tools, isShared: true }), one.sessionId)
  await one.engine.start()
  await two.engine.start()
  return { one, two, clock, store, process }
}

async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let waited = 0; waited < ms; waited += 50) {
    await untilQuiet()
    clock.advance(50)
  }
  await untilQuiet()
}

async function read(test: TestSession): Promise<ReaderLog> {
  const reader = createReaderLog()
  await test.engine.attach(test.user, test.sessionId, { after: { seq: 0 }, reader })
  return reader
}

const typesIn = ({ items }: ReaderLog): string[] =>
  items.flatMap((item) => (item.type === 'recorded' ? [item.recorded.event.type] : []))

describe('two engines on one store', () => {
  it('cluster 34: when the one that runs a turn dies, the other continues within 10 s, and unsafe calls are not repeated', async () => {
    const model = createFakeModel([calls('c', 'slow'), finishes('tool-calls')])
    const { one, two, clock, process } = await startTwo(model)
    await pass(clock, 6_000)
    await one.say('go')
    await pass(clock, 1_000)
    process.die()
    await pass(clock, 10_000)
    const events = await two.events()
    expect(events.at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'finished' })
    expect(events.filter(({ type }) => type === 'turn.taken-over')).toMatchObject([{ count: 1 }])
    expect(events.filter(({ type }) => type === 'tool-call.started')).toHaveLength(1)
    expect(events.filter(({ type }) => type === 'tool-call.settled')).toMatchObject([{ status: 'unknown' }])
  })

  it('continue a turn behind any number of sessions that cannot be read, and complain less and less', async () => {
    const clock = createFakeClock()
    const inner = createMemoryEventStore({ clock })
    const broken = Array.from({ length: 250 }, (_, index) => asSessionId(`broken_${index}`))
    const isBroken = (id: string): boolean => id.startsWith('broken_')
    const store: EventStore = {
      ...inner,
      wantedSessions: async (limit) => [...broken, ...(await inner.wantedSessions(limit))].slice(0, limit),
      async readHeads(ids) {
        const heads = new Map(await inner.readHeads(ids))
        for (const id of ids) if (isBroken(id)) heads.set(id, { lastSeq: 1 })
        return heads
      },
      async readSnapshot(id) {
        if (isBroken(id)) throw new StorageFault('broken', 'This log is damaged.')
        return inner.readSnapshot(id)
      },
    }
    const process = createProcessStore(inner)
    const one = await startSession({ store: process, clock, model: createFakeModel([hangs]), isShared: true })
    await one.engine.start()
    await one.say('go')
    await pass(clock, 500)
    process.die()
    const two = useSession(createTestEngine({ store, clock, isShared: true }), one.sessionId)
    await two.engine.start()
    await pass(clock, 15_000)
    expect((await two.events()).at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'finished' })
    await pass(clock, 60_000)
    const complaints = two.logged.filter(({ sessionId }) => sessionId === broken[0])
    expect(complaints.length).toBeLessThan(8)
  })

  it('leave each other the turns that run', async () => {
    const { one, two, clock } = await startTwo()
    await one.say('go')
    await pass(clock, 20_000)
    expect(two.model.requests).toEqual([])
    expect(await two.types()).not.toContain('turn.taken-over')
  })

  it('cluster 48, 51: a reader at the other one has every event and the text so far', async () => {
    const gate = Promise.withResolvers<void>()
    const { one, two, clock } = await startTwo(
      createFakeModel([says('Hel'), says('lo'), () => gate.promise, finishes()]),
    )
    const before = await read(two)
    await one.say('go')
    await pass(clock, 1_000)
    const late = await read(two)
    for (const reader of [before, late]) {
      expect(reader.items.flatMap((item) => (item.type === 'delta' ? [item.delta.text] : [])).join('')).toBe('Hello')
    }
    gate.resolve()
    await pass(clock, 500)
    for (const reader of [before, late]) expect(typesIn(reader)).toEqual(await one.types())
  })

  it('cluster 53: a cancellation, an input and an answer at the other one reach the runner', async () => {
    const { one, two, clock } = await startTwo()
    await one.say('go')
    await pass(clock, 500)
    await two.say('next', { whenRunning: 'queue' })
    await two.cancel()
    await pass(clock, 500)
    const ended = (await one.events()).filter(({ type }) => type === 'turn.ended')
    expect(ended).toMatchObject([{ outcome: 'cancelled' }, { outcome: 'finished' }])
    expect(one.model.requests).toHaveLength(2)
    expect(two.model.requests).toEqual([])
  })

  it('cluster 54: a deletion at one ends the streams and the runner at the other', async () => {
    const { one, two, clock } = await startTwo()
    const reader = await read(one)
    await one.say('go')
    await pass(clock, 500)
    await two.engine.execute({ type: 'delete-session', userId: two.user, sessionId: two.sessionId })
    await pass(clock, 500)
    expect(reader.items.at(-1)).toEqual({ type: 'closed', reason: 'deleted' })
    await expect(one.view()).rejects.toMatchObject({ code: 'session-not-found' })
    expect(one.model.requests[0]).toBeDefined()
  })

  it('a turn that was handed over continues at the other one, and does not count', async () => {
    const { one, two, clock } = await startTwo()
    await pass(clock, 6_000)
    await one.say('go')
    await pass(clock, 500)
    await one.engine.stop(0)
    await pass(clock, 1_500)
    const events = await two.events()
    expect(events.at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'finished' })
    expect(events.filter((event) => event.type === 'turn.taken-over' && event.count > 0)).toEqual([])
  })

  it('cluster 38: after a short outage of the store nobody takes a turn that its runner still holds', async () => {
    const clock = createFakeClock()
    const inner = createMemoryEventStore({ clock })
    let isDown = false
    const guard =
      <A extends unknown[], T>(ask: (...args: A) => Promise<T>) =>
      (...args: A): Promise<T> =>
        isDown ? Promise.reject(new Error('down')) : ask(...args)
    const store: EventStore = {
      ...inner,
      renew: guard(inner.renew),
      wantedSessions: guard(inner.wantedSessions),
      readHeads: guard(inner.readHeads),
    }
    const one = await startSession({ store, clock, model: createFakeModel([hangs]), isShared: true })
    const two = useSession(createTestEngine({ store, clock, isShared: true }), one.sessionId)
    await one.engine.start()
    await two.engine.start()
    await pass(clock, 6_000)
    await one.say('go')
    await pass(clock, 1_000)
    isDown = true
    await pass(clock, 12_000)
    isDown = false
    await pass(clock, 20_000)
    expect(await two.types()).not.toContain('turn.taken-over')
    expect(two.model.requests).toEqual([])
  })
})
