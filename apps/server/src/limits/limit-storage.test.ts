import { EngineError } from '@polylogue/engine'
import {
  createMemoryEventStore,
  createFakeClock,
  createFakeModel,
  finishes,
  says,
  startSession,
} from '@polylogue/testkit'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSession } from '../test-support/aap.ts'
import { createKeyOf } from '../test-support/ask-owner.ts'
import { exchange } from '../test-support/exchange.ts'
import { startServer, type TestServer } from '../test-support/start-server.ts'
import { makeTempDir } from '../test-support/temp-dir.ts'
import { limitStorage } from './limit-storage.ts'

const KIBIBYTE = 1024
const MEBIBYTE = 1024 * KIBIBYTE

function openStore(sessionBytes: number, userBytes = 1_000 * MEBIBYTE) {
  const clock = createFakeClock()
  const refusals: string[] = []
  const store = limitStorage(createMemoryEventStore({ clock }), {
    limits: { sessionBytes, userBytes },
    refused: (limit) => void refusals.push(limit),
  })
  return { clock, store, refusals }
}

describe('a session at its limit', () => {
  it('refuses more input, naming the setting, and can still be changed, cancelled and deleted', async () => {
    const { store, clock, refusals } = openStore(20 * KIBIBYTE)
    const test = await startSession({ store, clock, model: createFakeModel([says('ok'), finishes()]) })
    await test.say('x'.repeat(10 * KIBIBYTE))
    await test.untilRest()
    const refused = await test.say('x'.repeat(10 * KIBIBYTE)).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(EngineError)
    expect(refused).toMatchObject({ code: 'quota-exceeded', message: expect.stringContaining('limits.sessionBytes') })
    expect(refusals).toEqual(['storage'])
    const { engine, user: userId, sessionId } = test
    await engine.execute({ type: 'configure-session', userId, sessionId, changes: { title: 'Full' } })
    expect(await test.view()).toMatchObject({ title: 'Full', status: 'idle' })
    await engine.execute({ type: 'delete-session', userId, sessionId })
    expect(await store.storedBytes(userId)).toBe(0)
  })

  it('ends a turn that would store more, and says why', async () => {
    const { store, clock } = openStore(20 * KIBIBYTE)
    const test = await startSession({
      store,
      clock,
      model: createFakeModel([says('x'.repeat(5 * MEBIBYTE)), finishes()]),
    })
    await test.say('go')
    await test.untilRest()
    expect((await test.events()).at(-1)).toMatchObject({
      type: 'turn.ended',
      outcome: 'failed',
      error: { code: 'quota-exceeded', message: expect.stringContaining('limits.sessionBytes') },
    })
    expect(await test.view()).toMatchObject({ status: 'idle' })
    expect(await store.storedBytes(test.user)).toBeLessThan(MEBIBYTE)
  })

  it('lets a turn end that goes a little over it', async () => {
    const { store, clock } = openStore(20 * KIBIBYTE)
    const test = await startSession({ store, clock, model: createFakeModel([says('x'.repeat(MEBIBYTE)), finishes()]) })
    await test.say('go')
    await test.untilRest()
    expect((await test.events()).at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'finished' })
    await expect(test.say('more')).rejects.toMatchObject({ code: 'quota-exceeded' })
  })
})

async function startLimited(limits: object): Promise<TestServer> {
  const startDir = makeTempDir()
  writeFileSync(join(startDir, 'polylogue.config.json'), JSON.stringify({ limits }))
  return startServer({ startDir, configFile: join(startDir, 'polylogue.config.json') })
}

const seed = ({ url }: TestServer, key: string, bytes: number) =>
  exchange(`${url}/aap/v3/sessions`, {
    headers: { authorization: `Bearer ${key}` },
    body: { agent: { name: 'scripted' }, messages: [{ role: 'user', content: 'x'.repeat(bytes) }] },
  })

describe('a user at their limit', () => {
  it('is refused with 507 until a session is deleted, and others continue', async () => {
    const server = await startLimited({ userBytes: 300 * KIBIBYTE })
    const { key: ben } = await createKeyOf('ben', server.dataDir)
    const first = await seed(server, server.localKey, 200 * KIBIBYTE)
    expect(first.status).toBe(201)
    const refused = await seed(server, server.localKey, 200 * KIBIBYTE)
    expect(refused).toMatchObject({
      status: 507,
      body: { code: 'quota-exceeded', error: expect.stringContaining('limits.userBytes') },
    })
    expect((await seed(server, ben, 200 * KIBIBYTE)).status).toBe(201)
    const { sessionId } = first.body as { sessionId: string }
    const headers = { authorization: `Bearer ${server.localKey}` }
    await exchange(`${server.url}/aap/v3/sessions/${sessionId}`, { method: 'DELETE', headers })
    expect((await seed(server, server.localKey, 200 * KIBIBYTE)).status).toBe(201)
  })

  it('does not keep another user from working while ten store to their limits', async () => {
    const server = await startLimited({ userBytes: MEBIBYTE })
    const keys = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => (await createKeyOf(`user${index}`, server.dataDir)).key),
    )
    const fill = async (key: string): Promise<number> => {
      for (let stored = 0; ; stored += 1) if ((await seed(server, key, 100 * KIBIBYTE)).status === 507) return stored
    }
    const filling = Promise.all(keys.map(fill))
    const works = await Promise.all(Array.from({ length: 10 }, () => createSession(server.url, server.localKey)))
    expect(works.every((sessionId) => typeof sessionId === 'string')).toBe(true)
    expect(await filling).toEqual(Array(10).fill(10))
  })
})
