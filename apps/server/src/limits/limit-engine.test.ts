import { asUserId, type Engine, type SessionId, type UserId } from '@polylogue/engine'
import { createFakeClock, createMemoryEventStore, createTestEngine, hangs, says, finishes } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { observeStore } from '../observe/observed-store.ts'
import { createRunningTurns } from '../observe/running-turns.ts'
import { limitEngine, type TurnLimits } from './limit-engine.ts'

const anna = asUserId('anna')
const bob = asUserId('bob')

/** An engine whose model never stops by itself, behind these limits. */
function createLimited(limits: Partial<TurnLimits>, countEverywhere?: (userId: UserId) => Promise<number>) {
  const clock = createFakeClock()
  const memory = createMemoryEventStore({ clock })
  const turns = createRunningTurns({ isShared: false, readHead: (id) => memory.readHead(id) })
  const store = observeStore(memory, {
    appended: (request) => turns.appended(request),
    deleted: (id) => turns.deleted(id),
    lost: (id) => turns.deleted(id),
    released: (id) => turns.deleted(id),
    committed: () => undefined,
    fault: () => undefined,
  })
  const test = createTestEngine({ clock, store })
  const refused: string[] = []
  const engine = limitEngine(test.engine, {
    limits: { promptLength: 100, promptsPerUserPerMinute: 100, runningTurnsPerUser: 100, ...limits },
    turns,
    clock,
    ...(countEverywhere && { countEverywhere }),
    refused: (limit) => refused.push(limit),
  })
  return { engine, clock, refused, turns, model: test.model }
}

async function createSession(engine: Engine, userId: UserId, input?: string): Promise<SessionId> {
  const access = { type: 'preset' } as const
  const created = await engine.execute({
    type: 'create-session',
    userId,
    agent: 'tester',
    access,
    ...(input !== undefined && { input }),
  })
  return created.sessionId
}

const say = async (engine: Engine, userId: UserId, content = 'go') => {
  const sessionId = await createSession(engine, userId)
  return engine.execute({ type: 'start-turn', userId, sessionId, content, whenRunning: 'refuse' })
}

describe('a user', () => {
  it('has one limit of running turns on all nodes together', async () => {
    const elsewhere = async (userId: UserId): Promise<number> => (userId === anna ? 2 : 0)
    const { engine } = createLimited({ runningTurnsPerUser: 2 }, elsewhere)
    await expect(say(engine, anna)).rejects.toMatchObject({ code: 'too-many-turns' })
    await say(engine, bob)
  })

  it('has a limit of running turns, also under concurrent requests', async () => {
    const { engine, model, refused } = createLimited({ runningTurnsPerUser: 3 })
    for (let count = 0; count < 4; count++) model.push([says('…'), hangs])
    const attempts = await Promise.allSettled(Array.from({ length: 5 }, () => say(engine, anna)))
    const reasons = attempts.flatMap((attempt) => (attempt.status === 'rejected' ? [attempt.reason as unknown] : []))
    expect(reasons).toMatchObject([{ code: 'too-many-turns' }, { code: 'too-many-turns' }])
    await expect(createSession(engine, anna, 'go')).rejects.toMatchObject({ code: 'too-many-turns' })
    await say(engine, bob)
    expect(refused).toEqual(['turns', 'turns', 'turns'])
  })

  it('may begin the next one when one has ended', async () => {
    const { engine, model, turns } = createLimited({ runningTurnsPerUser: 1 })
    model.push([says('…'), hangs])
    const sessionId = await createSession(engine, anna, 'go')
    await expect(say(engine, anna)).rejects.toMatchObject({ code: 'too-many-turns' })
    await engine.execute({ type: 'cancel-turn', userId: anna, sessionId, reason: 'user', dropQueue: false })
    await expect.poll(() => turns.count).toBe(0)
    await say(engine, anna)
  })

  it('has a limit of inputs per minute, and gets the time to wait', async () => {
    const { engine, model, clock } = createLimited({ promptsPerUserPerMinute: 2 })
    for (let count = 0; count < 4; count++) model.push([says('done'), finishes()])
    await say(engine, anna)
    await say(engine, anna)
    await expect(say(engine, anna)).rejects.toThrow('wait 30 s')
    await say(engine, bob)
    clock.advance(30_000)
    await say(engine, anna)
  })

  it('may say as much as the limit, and no more', async () => {
    const { engine } = createLimited({ promptLength: 10 })
    await say(engine, anna, 'x'.repeat(10))
    const refusal = { code: 'invalid-input', field: 'content', message: 'the text is longer than 10 characters' }
    await expect(say(engine, anna, 'x'.repeat(11))).rejects.toMatchObject(refusal)
    await expect(createSession(engine, anna, 'x'.repeat(11))).rejects.toMatchObject(refusal)
  })

  it('can always cancel, delete and look', async () => {
    const { engine, model } = createLimited({ runningTurnsPerUser: 1, promptsPerUserPerMinute: 1 })
    model.push([says('…'), hangs])
    const sessionId = await createSession(engine, anna, 'go')
    const cancel = { type: 'cancel-turn', userId: anna, sessionId, reason: 'user', dropQueue: false } as const
    expect(await engine.execute(cancel)).toEqual({ cancelled: true })
    expect((await engine.readSession(anna, sessionId)).sessionId).toBe(sessionId)
    await engine.execute({ type: 'delete-session', userId: anna, sessionId })
  })
})
