import {
  createFakeClock,
  createFakeModel,
  createMemoryCluster,
  createMemoryEventStore,
  createProcessStore,
  createTestEngine,
  finishes,
  hangs,
  says,
  untilQuiet,
  type FakeClock,
  type NodeOptions,
  type TestEngine,
  type TestEngineOptions,
} from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import type { SessionId } from '../ids.ts'

function setUp() {
  const clock = createFakeClock()
  const store = createMemoryEventStore({ clock })
  const cluster = createMemoryCluster(clock)
  const join = async (options: TestEngineOptions = {}): Promise<TestEngine> => {
    const test = createTestEngine({ store, clock, cluster, ...options })
    await test.engine.start()
    return test
  }
  return { clock, store, cluster, join }
}

async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let waited = 0; waited < ms; waited += 50) {
    await quiet()
    clock.advance(50)
  }
  await quiet()
}

async function quiet(): Promise<void> {
  for (let round = 0; round < 10; round++) await untilQuiet()
}

const begin = async ({ engine, user }: TestEngine, input = 'go'): Promise<SessionId> =>
  (
    await engine.execute({
      type: 'create-session',
      userId: user,
      agent: 'tester',
      access: { type: 'listed', tools: [] },
      input,
    })
  ).sessionId

const say = ({ engine, user }: TestEngine, sessionId: SessionId) =>
  engine.execute({ type: 'start-turn', userId: user, sessionId, content: 'again', whenRunning: 'refuse' })

describe('a turn', () => {
  it('cluster 23: begins at once on a node with room, without a job', async () => {
    const { cluster, join } = setUp()
    const node = await join()
    const sessionId = await begin(node)
    await node.rest(sessionId)
    await say(node, sessionId)
    await node.rest(sessionId)
    expect(node.model.requests).toHaveLength(2)
    expect(cluster.jobs).toEqual([])
  })

  it('cluster 24: that a web node admits runs on a worker, and the web node streams it', async () => {
    const { clock, cluster, join } = setUp()
    const web = await join({ role: 'web' })
    const worker = await join({ role: 'worker', model: createFakeModel([says('Hi'), finishes()]) })
    const sessionId = await begin(web)
    await pass(clock, 50)
    expect(web.model.requests).toEqual([])
    expect(worker.model.requests).toHaveLength(1)
    expect(cluster.jobs).toEqual([sessionId])
    await say(web, sessionId)
    await pass(clock, 50)
    expect(worker.model.requests).toHaveLength(2)
  })

  it('cluster 25: whose job is lost begins within two seconds, 20 times', async () => {
    const { clock, cluster, join } = setUp()
    cluster.deliverJob = () => []
    const web = await join({ role: 'web' })
    const worker = await join({ role: 'worker' })
    for (let round = 0; round < 20; round++) {
      await begin(web)
      await pass(clock, 2_000 - (round % 4) * 50)
      expect(worker.model.requests).toHaveLength(round + 1)
    }
  })

  it('cluster 26: whose job comes three times runs once, 50 times', async () => {
    const { clock, cluster, join } = setUp()
    cluster.deliverJob = () => [0, 0, 60]
    const web = await join({ role: 'web' })
    const workers = [await join({ role: 'worker' }), await join({ role: 'all' })]
    for (let round = 0; round < 50; round++) await begin(web)
    await pass(clock, 500)
    expect(workers.reduce((sum, { model }) => sum + model.requests.length, 0)).toBe(50)
  })

  it('cluster 27: that no node can run ends with the reason', async () => {
    const { clock, join } = setUp()
    const web = await join({ role: 'web' })
    const worker = await join({ role: 'worker', agentName: 'somebody-else' })
    const sessionId = await begin(web)
    await pass(clock, 500)
    expect(worker.model.requests).toEqual([])
    expect((await web.recorded(sessionId)).at(-1)).toMatchObject({
      type: 'turn.ended',
      outcome: 'failed',
      error: { message: 'No node could run the agent tester.' },
    })
  })

  it('cluster 27: ends with the reason when its node died and no other has its agent', async () => {
    const { clock, cluster, store, join } = setUp()
    const process = createProcessStore(store)
    const nodeIds: string[] = []
    const joining = { ...cluster, join: (id: string, more: NodeOptions) => (nodeIds.push(id), cluster.join(id, more)) }
    const having = await join({ store: process, cluster: joining, model: createFakeModel([hangs]) })
    const other = await join({ agentName: 'somebody-else' })
    const sessionId = await begin(having)
    await pass(clock, 1_000)
    process.die()
    for (const nodeId of nodeIds) cluster.cut(nodeId)
    await pass(clock, 20_000)
    expect(other.model.requests).toEqual([])
    expect((await other.recorded(sessionId)).at(-1)).toMatchObject({
      type: 'turn.ended',
      outcome: 'failed',
      error: { message: 'No node could run the agent tester.' },
    })
  })

  it('cluster 27: ends with the reason also if the first job of the survivor is lost', async () => {
    const { clock, cluster, join } = setUp()
    cluster.deliverJob = () => (cluster.jobs.length < 3 ? [] : [0])
    const web = await join({ role: 'web' })
    await join({ role: 'worker', agentName: 'somebody-else' })
    const sessionId = await begin(web)
    await pass(clock, 40_000)
    expect((await web.recorded(sessionId)).at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'failed' })
  })

  it('cluster 29: is refused while too many wait for a node, and nothing is stored', async () => {
    const { clock, cluster, store, join } = setUp()
    const web = await join({ role: 'web' })
    for (const backlog of [
      { waiting: 1_001, oldestMs: 0 },
      { waiting: 1, oldestMs: 30_001 },
    ]) {
      cluster.backlog = backlog
      clock.advance(1_000)
      await expect(begin(web)).rejects.toMatchObject({ code: 'storage-busy' })
    }
    expect(await store.listSessions({ userId: web.user, limit: 10 })).toEqual([])
    cluster.backlog = { waiting: 1_000, oldestMs: 30_000 }
    clock.advance(1_000)
    await begin(web)
  })

  it('cluster 29: is accepted while a node has room, however long another turn waits', async () => {
    const { clock, cluster, join } = setUp()
    const web = await join({ role: 'web' })
    const worker = await join({ role: 'worker', slots: 1, model: createFakeModel([hangs]) })
    cluster.backlog = { waiting: 1, oldestMs: 600_000 }
    const sessionId = await begin(web)
    await pass(clock, 2_000)
    // Now the worker is full.
    await expect(begin(web)).rejects.toMatchObject({ code: 'storage-busy' })
    await web.engine.execute({ type: 'cancel-turn', userId: web.user, sessionId, reason: 'enough', dropQueue: false })
    await pass(clock, 2_000)
    await begin(web)
    await worker.engine.stop(0)
    clock.advance(1_000)
    await expect(begin(web)).rejects.toMatchObject({ code: 'storage-busy' })
  })

  it('cluster 30: of a node that stops is handed over: 200 within five seconds', async () => {
    const { clock, join } = setUp()
    const one = await join({ model: createFakeModel(...Array.from({ length: 200 }, () => [hangs])) })
    const two = await join()
    const ids: SessionId[] = []
    for (let index = 0; index < 200; index++) ids.push(await begin(one))
    await quiet()
    expect(one.model.requests).toHaveLength(200)
    await one.engine.stop(0)
    await pass(clock, 5_000)
    expect(two.model.requests).toHaveLength(200)
    for (const id of ids) {
      const events = await two.recorded(id)
      expect(events.at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'finished' })
      expect(events.filter((event) => event.type === 'turn.taken-over' && event.count > 0)).toEqual([])
    }
  })

  it('waits for a node with room when all slots are taken', async () => {
    const { clock, cluster, join } = setUp()
    const gate = Promise.withResolvers<void>()
    const one = await join({ slots: 1, model: createFakeModel([() => gate.promise, finishes()]) })
    await begin(one)
    await quiet()
    await begin(one)
    await pass(clock, 500)
    expect(one.model.requests).toHaveLength(1)
    expect(cluster.jobs).toHaveLength(1)
    gate.resolve()
    await pass(clock, 1_500)
    expect(one.model.requests).toHaveLength(2)
  })
})

it('cluster 66: a node that lacks the agent of a session does not claim it', async () => {
  const { clock, store, join } = setUp()
  const one = await join({ model: createFakeModel([hangs]) })
  const two = await join({ agentName: 'somebody-else' })
  const sessionId = await begin(one)
  await quiet()
  const owner = (await store.readHeads([sessionId])).get(sessionId)?.owner
  await one.engine.stop(0)
  await pass(clock, 10_000)
  expect(two.model.requests).toEqual([])
  expect((await store.readHeads([sessionId])).get(sessionId)?.owner).not.toBe(owner)
  expect((await two.recorded(sessionId)).map(({ type }) => type)).not.toContain('turn.taken-over')
})

describe('a session whose files are not on every node', () => {
  const lacks = { findMissing: async () => 'the directory /srv/a' }
  const ending = async (node: TestEngine, sessionId: SessionId) => (await node.recorded(sessionId)).at(-1)

  it('cluster 63: runs on the node that has them, whichever node admits its turns', async () => {
    const { clock, cluster, join } = setUp()
    const lacking = await join(lacks)
    const having = await join()
    await quiet()
    const sessionId = await begin(lacking)
    await pass(clock, 500)
    await say(lacking, sessionId)
    await pass(clock, 500)
    expect(lacking.model.requests).toEqual([])
    expect(having.model.requests).toHaveLength(2)
    expect(cluster.jobs.length).toBeGreaterThan(0)
    expect(await ending(having, sessionId)).toMatchObject({ type: 'turn.ended', outcome: 'finished' })
    const taken = (await having.recorded(sessionId)).filter(({ type }) => type === 'turn.taken-over')
    expect(taken.filter((event) => 'count' in event && Number(event.count) > 0)).toEqual([])
  })

  it('cluster 63: runs there also if every job is lost', async () => {
    const { clock, cluster, join } = setUp()
    cluster.deliverJob = () => []
    const lacking = await join(lacks)
    const having = await join()
    await quiet()
    await begin(lacking)
    await pass(clock, 2_000)
    expect(having.model.requests).toHaveLength(1)
    expect(lacking.model.requests).toEqual([])
  })

  it('cluster 63: is refused in a sentence when no node has them', async () => {
    const { clock, cluster, join } = setUp()
    cluster.deliverJob = () => [5_000]
    const one = await join(lacks)
    const two = await join(lacks)
    await quiet()
    const sessionId = await begin(one)
    await pass(clock, 29_000)
    // A node that has them may only be slow.
    expect((await ending(one, sessionId))?.type).toBe('turn.handed-over')
    await pass(clock, 12_000)
    expect([...one.model.requests, ...two.model.requests]).toEqual([])
    expect(await ending(one, sessionId)).toMatchObject({
      type: 'turn.ended',
      outcome: 'failed',
      error: { message: 'No node that runs turns has the directory /srv/a.' },
    })
  })

  it('cluster 63: is refused at once by the only node', async () => {
    const { cluster, join } = setUp()
    const one = await join(lacks)
    await join({ role: 'web' })
    await quiet()
    const sessionId = await begin(one)
    await quiet()
    expect(await ending(one, sessionId)).toMatchObject({ type: 'turn.ended', outcome: 'failed' })
    expect(one.model.requests).toEqual([])
    expect(cluster.jobs).toEqual([])
  })

  it('cluster 63: is refused when the node that has them died in the middle of a turn', async () => {
    const { clock, cluster, store, join } = setUp()
    const process = createProcessStore(store)
    const nodeIds: string[] = []
    const joining = { ...cluster, join: (id: string, more: NodeOptions) => (nodeIds.push(id), cluster.join(id, more)) }
    const having = await join({ store: process, cluster: joining, model: createFakeModel([hangs]) })
    const lacking = await join(lacks)
    const sessionId = await begin(having)
    await pass(clock, 1_000)
    process.die()
    for (const nodeId of nodeIds) cluster.cut(nodeId)
    await pass(clock, 20_000)
    expect(lacking.model.requests).toEqual([])
    expect(await ending(lacking, sessionId)).toMatchObject({
      type: 'turn.ended',
      error: { message: 'No node that runs turns has the directory /srv/a.' },
    })
    // The turn could not go on, but no takeover of it was recorded.
    expect((await lacking.recorded(sessionId)).map(({ type }) => type)).not.toContain('turn.taken-over')
  })
})
