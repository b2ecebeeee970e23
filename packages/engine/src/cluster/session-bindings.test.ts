import {
  createFakeClock,
  createFakeModel,
  createMemoryCluster,
  createMemoryEventStore,
  createProcessStore,
  createReaderLog,
  createTestEngine,
  hangs,
  says,
  startSession,
  untilQuiet,
  useSession,
  type FakeClock,
  type TestSession,
} from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'

async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let waited = 0; waited < ms; waited += 50) {
    await untilQuiet()
    clock.advance(50)
  }
  await untilQuiet()
}

/** A session that two processes of editors have open; the first one runs its turn, if it is busy. */
async function startTwo(first: 'busy' | 'idle' = 'busy') {
  const clock = createFakeClock()
  const store = createMemoryEventStore({ clock })
  const process = createProcessStore(store)
  const cluster = createMemoryCluster(clock)
  const nodeIds: string[] = []
  const join: typeof cluster.join = (nodeId, options) => {
    nodeIds.push(nodeId)
    return cluster.join(nodeId, options)
  }
  const shared = { clock, cluster: { ...cluster, join }, role: 'editor' } as const
  const one = await startSession({ ...shared, store: process, model: createFakeModel([says('so far'), hangs]) })
  const two = useSession(createTestEngine({ ...shared, store }), one.sessionId)
  await one.engine.start('used')
  await two.engine.start('used')
  await open(one)
  if (first === 'busy') await one.say('go')
  await pass(clock, 1_000)
  const kill = (): void => {
    process.die()
    for (const nodeId of nodeIds.slice(0, 1)) cluster.cut(nodeId)
  }
  return { one, two, clock, cluster, nodeIds, kill }
}

async function open({ engine, user, sessionId }: TestSession): Promise<() => void> {
  await engine.attach(user, sessionId, { after: { seq: 0 }, reader: createReaderLog() })
  return engine.holdHere(sessionId)
}

describe('a session that an editor has open', () => {
  it('cluster 62: goes on in the next process of the editor, also if that opened it before the lease of the first had ended', async () => {
    const { two, clock, kill } = await startTwo()
    kill()
    await open(two)
    expect(two.model.requests).toEqual([])
    await pass(clock, 12_000)
    expect(two.model.requests).toHaveLength(1)
  })

  it('cluster 61: belongs to the next process of the editor soon after the first has died, also while nothing runs', async () => {
    const { one, two, clock, cluster, nodeIds, kill } = await startTwo('idle')
    await open(two)
    kill()
    await pass(clock, 8_000)
    const { nodes } = cluster.join('observer')
    expect((await nodes.placeOf(one.sessionId)).runsOn).toBe(nodeIds[1])
  })

  it('is left to the process that has it, as long as that lives', async () => {
    const { two, clock } = await startTwo()
    await open(two)
    await pass(clock, 40_000)
    expect(two.model.requests).toEqual([])
  })
})
