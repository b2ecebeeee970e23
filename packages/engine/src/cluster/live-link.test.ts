import {
  calls,
  createFakeClock,
  createFakeModel,
  createFakeTool,
  createMemoryCluster,
  createMemoryEventStore,
  createProcessStore,
  createReaderLog,
  createTestEngine,
  finishes,
  hangs,
  plainParts,
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
import type { ToolProgress } from '../events/live-event.ts'
import type { EventStore } from '../ports/event-store.ts'
import type { Tool } from '../ports/tool.ts'

/** Two engines on one store that send each other messages. The session is made by the first one. */
async function startTwo(model: FakeModel, other: FakeModel = createFakeModel(), more: readonly Tool[] = []) {
  const clock = createFakeClock()
  const store = createMemoryEventStore({ clock })
  const process = createProcessStore(store)
  const cluster = createMemoryCluster(clock)
  const tools = [createFakeTool('slow', { run: hangs, effect: 'unsafe' }), ...more]
  const one = await startSession({ store: process, clock, model, tools, cluster })
  const two = useSession(createTestEngine({ store, clock, model: other, tools, cluster }), one.sessionId)
  await one.engine.start()
  await two.engine.start()
  return { one, two, clock, store, process, cluster }
}

async function read(test: TestSession): Promise<ReaderLog> {
  const reader = createReaderLog()
  await test.engine.attach(test.user, test.sessionId, { after: { seq: 0 }, reader })
  return reader
}

/** Also keeps what running calls print. */
async function attach(test: TestSession) {
  let printed = ''
  const reader = { ...createReaderLog(), progress: ({ text }: ToolProgress) => void (printed += text) }
  const { detach } = await test.engine.attach(test.user, test.sessionId, { after: { seq: 0 }, reader })
  return { detach, output: () => printed }
}

async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let waited = 0; waited < ms; waited += 50) {
    await quiet()
    clock.advance(50)
  }
  await quiet()
}

/** Messages cause work, which causes messages. */
async function quiet(): Promise<void> {
  for (let round = 0; round < 20; round++) await untilQuiet()
}

const textOf = ({ items }: ReaderLog): string =>
  items.flatMap((item) => (item.type === 'delta' ? [item.delta.text] : [])).join('')
const typesIn = (reader: ReaderLog): string[] => reader.events().map(({ type }) => type)

describe('messages between two engines', () => {
  it('cluster 48, 51: bring readers of the other one every event and the text, without asking the store', async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const model = createFakeModel([
      says('Hel'),
      () => gates[0]!.promise,
      says('lo'),
      () => gates[1]!.promise,
      finishes(),
    ])
    const { one, two, clock } = await startTwo(model)
    const early = await read(two)
    await one.say('go')
    await pass(clock, 100)
    expect(textOf(early)).toBe('Hel')
    const late = await read(two)
    await pass(clock, 50)
    expect(textOf(late)).toBe('Hel')
    gates[0]!.resolve()
    await pass(clock, 100)
    for (const reader of [early, late]) expect(textOf(reader)).toBe('Hello')
    gates[1]!.resolve()
    await quiet()
    for (const reader of [early, late]) expect(typesIn(reader)).toEqual(await one.types())
  })

  it('cluster 48: bring the text also to a node that reads the start of the turn slowly', async () => {
    const [text, heads, log] = Array.from({ length: 3 }, () => Promise.withResolvers<void>())
    let untilRead: Promise<void> = Promise.resolve()
    const model = createFakeModel([() => text!.promise, says('Hello'), finishes()])
    const { one, clock, store, cluster } = await startTwo(model)
    const slow: EventStore = {
      ...store,
      async readHeads(ids) {
        const found = await store.readHeads(ids)
        await heads!.promise
        return found
      },
      readHead: (id) => untilRead.then(() => store.readHead(id)),
    }
    const two = useSession(createTestEngine({ store: slow, clock, cluster }), one.sessionId)
    await two.engine.start()
    const reader = await read(two)
    // It looks at the store as it was before the turn.
    await pass(clock, 300)
    untilRead = log!.promise
    await one.say('go')
    await quiet()
    heads!.resolve()
    await quiet()
    log!.resolve()
    await quiet()
    text!.resolve()
    await pass(clock, 200)
    expect(textOf(reader)).toBe('Hello')
    expect(typesIn(reader)).toEqual(await one.types())
  })

  it('cluster 53: bring a cancellation and a queued input to the runner at once', async () => {
    const { one, two } = await startTwo(createFakeModel([hangs]))
    await one.say('go')
    await quiet()
    await two.say('next', { whenRunning: 'queue' })
    await two.cancel()
    await quiet()
    const ended = (await one.events()).filter(({ type }) => type === 'turn.ended')
    expect(ended).toMatchObject([{ outcome: 'cancelled' }, { outcome: 'finished' }])
    expect(two.model.requests).toEqual([])
  })

  it('cluster 54: end the streams and the runner of a deleted session at once', async () => {
    const { one, two } = await startTwo(createFakeModel([hangs]))
    const reader = await read(one)
    await one.say('go')
    await quiet()
    await two.engine.execute({ type: 'delete-session', userId: two.user, sessionId: two.sessionId })
    await quiet()
    expect(reader.items.at(-1)).toEqual({ type: 'closed', reason: 'deleted' })
  })

  it('cluster 54: let the other one forget what it has of a deleted session, and remove no file', async () => {
    const { one, clock, store, cluster } = await startTwo(createFakeModel())
    const removed: unknown[] = []
    const workspaces = { ...plainParts.workspaces, remove: async (...asked: unknown[]) => void removed.push(asked) }
    const three = createTestEngine({ store, clock, cluster, workspaces })
    await three.engine.start()
    await one.engine.execute({ type: 'delete-session', userId: one.user, sessionId: one.sessionId })
    await quiet()
    expect(removed).toEqual([[one.sessionId, []]])
  })

  it('are not needed: while the bus is down, the store is asked', async () => {
    const gate = Promise.withResolvers<void>()
    const { one, two, clock, cluster } = await startTwo(
      createFakeModel([says('Hello'), () => gate.promise, finishes()]),
    )
    cluster.setUp(false)
    const reader = await read(two)
    await one.say('go')
    await pass(clock, 1_000)
    expect(textOf(reader)).toBe('Hello')
    await two.cancel()
    await pass(clock, 500)
    expect((await one.events()).at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'cancelled' })
    expect(typesIn(reader)).toEqual(await one.types())
  })

  it('a reader that missed text asks for it', async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const model = createFakeModel([
      says('one '),
      () => gates[0]!.promise,
      says('two '),
      () => gates[1]!.promise,
      says('three'),
      hangs,
    ])
    const { one, two, clock, cluster } = await startTwo(model)
    const reader = await read(two)
    await one.say('go')
    await pass(clock, 100)
    cluster.deliver = () => []
    gates[0]!.resolve()
    await pass(clock, 100)
    cluster.deliver = () => [0]
    gates[1]!.resolve()
    await pass(clock, 100)
    expect(textOf(reader)).toBe('one two three')
  })

  it('cluster 51: a reader that comes back gets the text at once, also if nobody read here meanwhile', async () => {
    const gates = Array.from({ length: 3 }, () => Promise.withResolvers<void>())
    const model = createFakeModel([
      says('one '),
      () => gates[0]!.promise,
      says('two '),
      () => gates[1]!.promise,
      says('three '),
      () => gates[2]!.promise,
      says('four'),
      hangs,
    ])
    const { one, two, clock } = await startTwo(model)
    await one.say('go')
    const gone = await attach(two)
    await pass(clock, 100)
    gone.detach()
    gates[0]!.resolve()
    await pass(clock, 100)
    gates[1]!.resolve()
    await pass(clock, 100)
    const reader = await read(two)
    await pass(clock, 50)
    expect(textOf(reader)).toBe('one two three ')
    gates[2]!.resolve()
    await pass(clock, 100)
    expect(textOf(reader)).toBe('one two three four')
  })

  it('cluster 51: a reader that comes back gets all output of a running call, and none twice', async () => {
    const lines = Array.from({ length: 4 }, () => Promise.withResolvers<void>())
    const print = createFakeTool('print', {
      effect: 'readonly',
      async run({ progress }) {
        for (const [index, line] of lines.entries()) {
          await line.promise
          progress(`${index} `)
        }
        return hangs()
      },
    })
    const model = createFakeModel([calls('c1', 'print'), finishes('tool-calls')])
    const { one, two, clock, cluster } = await startTwo(model, createFakeModel(), [print])
    await one.say('go')
    const first = await attach(two)
    await pass(clock, 50)
    lines[0]!.resolve()
    await pass(clock, 100)
    first.detach()
    lines[1]!.resolve()
    await pass(clock, 100)
    const second = await attach(two)
    await pass(clock, 300)
    expect([first.output(), second.output()]).toEqual(['0 ', '0 1 '])
    // A message is lost, and the next one shows it.
    cluster.deliver = () => []
    lines[2]!.resolve()
    await pass(clock, 100)
    cluster.deliver = () => [0, 0]
    lines[3]!.resolve()
    await pass(clock, 300)
    expect(second.output()).toBe('0 1 2 3 ')
  })

  it('idle streams cost nothing', async () => {
    const { one, two, clock, cluster } = await startTwo(createFakeModel([says('Hi'), finishes()]))
    await read(two)
    await one.say('go')
    await one.untilRest()
    await pass(clock, 6_000)
    const before = cluster.sent.length
    await pass(clock, 20_000)
    expect(cluster.sent.length).toBe(before)
  })

  it('a process that no session is open in ignores them', async () => {
    const { one, cluster } = await startTwo(createFakeModel([says('Hi'), finishes()]))
    await one.say('go')
    await one.untilRest()
    expect(cluster.sent.filter(({ type }) => type === 'live')).toEqual([])
  })
})
