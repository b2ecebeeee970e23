import { describe, expect, it } from 'vitest'
import {
  createFakeClock,
  createFakeModel,
  createMemoryEventStore,
  createProcessStore,
  createTestEngine,
  createTestIds,
  finishes,
  hangs,
  restart,
  says,
  startSession,
  untilQuiet,
  type FakeStep,
} from '@polylogue/testkit'
import type { SessionId } from '../index.ts'

describe('a turn that outlives many orderly stops', () => {
  it('continues, because only deaths are counted', async () => {
    let test = await startSession({ model: createFakeModel([hangs]) })
    await test.say('go')
    for (let stop = 1; stop <= 6; stop += 1) {
      await untilQuiet()
      await test.engine.stop(0)
      test = await restart(test, { model: createFakeModel([hangs]) })
    }
    await untilQuiet()
    await test.engine.stop(0)
    const last = await restart(test)
    await last.untilRest()
    const events = await last.events()
    expect(events.filter(({ type }) => type === 'turn.handed-over')).toHaveLength(7)
    expect(events.flatMap((event) => (event.type === 'turn.taken-over' ? [event.count] : []))).toEqual([
      0, 0, 0, 0, 0, 0, 0,
    ])
    expect(events.at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'finished' })
  })

  it('is counted again when a process dies after an orderly stop', async () => {
    const first = await startSession({ model: createFakeModel([hangs]) })
    await first.say('go')
    await untilQuiet()
    await first.engine.stop(0)
    const second = await restart(first, { model: createFakeModel([hangs]) })
    await untilQuiet()
    const third = await restart(second)
    await third.untilRest()
    const counts = (await third.events()).flatMap((event) => (event.type === 'turn.taken-over' ? [event.count] : []))
    expect(counts).toEqual([0, 1])
  })
})

/** Processes on one store. A process that asks the model about `poison` dies at once, with everything it ran. */
function createWorld({ isShared = false } = {}) {
  const clock = createFakeClock()
  const store = createMemoryEventStore({ clock })
  const ids = createTestIds()
  const start = async () => {
    const process = createProcessStore(store)
    const told: string[] = []
    const step: FakeStep = [
      ({ messages }) => {
        const said = String(messages.findLast(({ role }) => role === 'user')?.content)
        told.push(said)
        if (said === 'poison') process.die()
        if (said === 'minute') return new Promise<void>((resolve) => void clock.setTimer(60_000, resolve))
        if (said !== 'quick') return new Promise<void>(() => undefined)
      },
      says('done'),
      finishes(),
    ]
    const model = createFakeModel(...Array.from({ length: 50 }, () => step))
    const test = createTestEngine({ store: process, clock, ids, model, isShared })
    await test.engine.start()
    await untilQuiet()
    return { ...test, process, told }
  }
  return { clock, store, start }
}

type World = ReturnType<typeof createWorld>
type Running = Awaited<ReturnType<World['start']>>

async function begin({ engine, user }: Running, input: string): Promise<SessionId> {
  const { sessionId } = await engine.execute({
    type: 'create-session',
    userId: user,
    agent: 'tester',
    access: { type: 'preset' },
    input,
  })
  await untilQuiet()
  return sessionId
}

async function pass({ clock }: World, ms: number): Promise<void> {
  for (let waited = 0; waited < ms; waited += 250) {
    for (let round = 0; round < 10; round += 1) await untilQuiet()
    clock.advance(250)
  }
}

const endOf = async ({ store }: World, sessionId: SessionId) =>
  (await store.readEvents(sessionId, 0, 1_000)).at(-1)?.event

describe('a turn that kills its server', () => {
  it('is the only one that fails, and the others continue', async () => {
    const world = createWorld()
    const first = await world.start()
    const others = [await begin(first, 'slow one'), await begin(first, 'slow two'), await begin(first, 'slow three')]
    const guilty = await begin(first, 'poison')
    expect(first.process.isDead).toBe(true)
    let deaths = 0
    let last = first
    while (last.process.isDead) {
      deaths += 1
      last = await world.start()
      for (let round = 0; round <= others.length && !last.process.isDead; round += 1) {
        world.clock.advance(30_000)
        await untilQuiet()
      }
    }
    expect(deaths).toBe(4)
    expect(await endOf(world, guilty)).toMatchObject({ type: 'turn.ended', outcome: 'failed' })
    expect(last.told.toSorted()).toEqual(['slow one', 'slow three', 'slow two'])
    for (const session of others) expect(await endOf(world, session)).toMatchObject({ type: 'step.started' })
    const view = await last.engine.readSession(last.user, guilty)
    expect(view.status).toBe('idle')
  })

  it('is alone with the server after its second death', async () => {
    const world = createWorld()
    const first = await world.start()
    await begin(first, 'slow one')
    await begin(first, 'poison')
    const second = await world.start()
    expect(second.told).toContain('poison')
    world.clock.advance(1)
    const third = await world.start()
    expect(third.told).toHaveLength(1)
  })

  it('does not delay a cancelled suspect, nor new sessions', async () => {
    const world = createWorld()
    const first = await world.start()
    const slow = [await begin(first, 'slow one'), await begin(first, 'slow two')]
    first.process.die()
    const second = await world.start()
    second.process.die()
    const third = await world.start()
    expect(third.told).toHaveLength(1)
    const waiting = slow.find((_, index) => third.told[0] !== ['slow one', 'slow two'][index])
    if (waiting === undefined) throw new Error('one of them waits')
    await third.engine.execute({
      type: 'cancel-turn',
      userId: third.user,
      sessionId: waiting,
      reason: 'user',
      dropQueue: false,
    })
    await untilQuiet()
    expect(await endOf(world, waiting)).toMatchObject({ type: 'turn.ended', outcome: 'cancelled' })
    const quick = await begin(third, 'quick')
    expect(await endOf(world, quick)).toMatchObject({ type: 'turn.ended', outcome: 'finished' })
  })
})

describe('a turn that kills each of several nodes that take it', () => {
  it('is the only one that fails: before their last chance, turns are tried one at a time on each node', async () => {
    const world = createWorld({ isShared: true })
    const nodes = [await world.start(), await world.start(), await world.start()]
    await pass(world, 6_000)
    const others: SessionId[] = []
    for (let count = 0; count < 8; count += 1) others.push(await begin(nodes[0]!, 'minute'))
    const guilty = await begin(nodes[0]!, 'poison')
    let deaths = 0
    for (let round = 0; round < 80; round += 1) {
      for (const [index, node] of nodes.entries()) {
        if (!node.process.isDead) continue
        deaths += 1
        nodes[index] = await world.start()
      }
      await pass(world, 5_000)
    }
    expect(await endOf(world, guilty)).toMatchObject({ type: 'turn.ended', outcome: 'failed' })
    expect(deaths).toBe(4)
    for (const session of others) {
      expect(await endOf(world, session)).toMatchObject({ type: 'turn.ended', outcome: 'finished' })
    }
  })

  it('leaves the others their ten seconds after its first two deaths', async () => {
    const world = createWorld({ isShared: true })
    const nodes = [await world.start(), await world.start(), await world.start()]
    await pass(world, 6_000)
    for (let count = 0; count < 8; count += 1) await begin(nodes[0]!, 'slow')
    for (const node of nodes.slice(0, 2)) {
      node.process.die()
      await pass(world, 10_000)
    }
    expect(nodes[2]?.told).toHaveLength(8)
  })
})
