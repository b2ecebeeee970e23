import { asSessionId, type Dispatcher, type DispatchWorker, type SessionId } from '@polylogue/engine'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createBossDispatcher } from './boss-dispatcher.ts'
import { openDatabase, type Database } from './database.ts'
import { openPostgresStores } from './open-postgres-stores.ts'
import { startCuttingProxy } from './test-support/cutting-proxy.ts'
import { createTestDatabase, type TestDatabase } from './test-support/test-database.ts'

const clock = { now: () => 0, setTimer: () => ({ cancel: () => undefined }) }
const WAIT = { timeout: 60_000, interval: 50 }
let database: TestDatabase
let db: Database
const dispatchers: Dispatcher[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  const stores = await openPostgresStores({ url: database.url, clock })
  await stores.close()
  db = openDatabase({ url: database.url })
}, 60_000)
afterAll(async () => {
  await Promise.all(dispatchers.map((one) => one.close()))
  await db.close()
  await database.drop()
})

function createDispatcher(): Dispatcher {
  const dispatcher = createBossDispatcher({ url: database.url, db, report: () => undefined })
  dispatchers.push(dispatcher)
  return dispatcher
}

async function startWorker(take: (sessionId: SessionId) => Promise<void>): Promise<Dispatcher> {
  const dispatcher = createDispatcher()
  const worker: DispatchWorker = { room: () => 100, take, giveUp: async () => undefined }
  await dispatcher.start(worker)
  return dispatcher
}

describe('a job of pg-boss', { timeout: 90_000 }, () => {
  it('cluster 27: that fails is delivered again', async () => {
    const session = asSessionId('0190-failing')
    const taken: SessionId[] = []
    const dispatcher = await startWorker(async (sessionId) => {
      taken.push(sessionId)
      if (taken.length < 3) throw new Error('not this time')
    })
    dispatcher.send(session)
    await vi.waitFor(() => expect(taken).toEqual([session, session, session]), WAIT)
    await dispatcher.stop()
  })

  it('reaches a node with little room, one at a time', async () => {
    const taken: SessionId[] = []
    let room = 0
    const dispatcher = createDispatcher()
    const take = async (sessionId: SessionId): Promise<void> => {
      room -= 1
      taken.push(sessionId)
    }
    await dispatcher.start({ room: () => room, take, giveUp: async () => undefined })
    const ids = ['0190-little-1', '0190-little-2', '0190-little-3'].map(asSessionId)
    for (const id of ids) dispatcher.send(id)
    const jobs = async () =>
      (await database.query("SELECT FROM polylogue_jobs.job WHERE name = 'turns' AND state = 'created'")).length
    await vi.waitFor(async () => expect(await jobs()).toBe(3), WAIT)
    room = 2
    await vi.waitFor(() => expect(taken).toHaveLength(2), WAIT)
    room = 20
    await vi.waitFor(() => expect(taken.toSorted()).toEqual(ids), WAIT)
    await dispatcher.stop()
  })

  it('that is done is removed after ten minutes, also in queues of an older version', async () => {
    const kept = async () =>
      (await database.query('SELECT name, deletion_seconds AS seconds FROM polylogue_jobs.queue ORDER BY name')).filter(
        ({ name }) => name === 'turns' || name === 'dead',
      )
    const first = await startWorker(async () => undefined)
    await first.stop()
    await database.query('UPDATE polylogue_jobs.queue SET deletion_seconds = 604800')
    const second = await startWorker(async () => undefined)
    await second.stop()
    expect(await kept()).toEqual([
      { name: 'dead', seconds: 600 },
      { name: 'turns', seconds: 600 },
    ])
  })

  it('is sent although the database was lost when the first one was to be sent', async () => {
    const proxy = await startCuttingProxy(database.url)
    const problems: string[] = []
    const sender = createBossDispatcher({ url: proxy.url, db, report: ({ message }) => void problems.push(message) })
    dispatchers.push(sender)
    proxy.loseAnswerTo('polylogue_jobs')
    sender.send(asSessionId('0190-lost'))
    await vi.waitFor(() => expect(problems).toContain('a job was not sent'), WAIT)
    const taken: SessionId[] = []
    const worker = await startWorker(async (sessionId) => void taken.push(sessionId))
    const session = asSessionId('0190-sent')
    sender.send(session)
    await vi.waitFor(() => expect(taken).toEqual([session]), WAIT)
    await worker.stop()
    await sender.close()
    proxy.close()
  })

  it('is given up when the network swallows it, and the next one is sent', async () => {
    const proxy = await startCuttingProxy(database.url)
    const problems: string[] = []
    const report = ({ message }: { readonly message: string }): void => void problems.push(message)
    const sender = createBossDispatcher({ url: proxy.url, db, answerWithinMs: 3_000, report })
    dispatchers.push(sender)
    const taken: SessionId[] = []
    const worker = await startWorker(async (sessionId) => void taken.push(sessionId))
    const [first, second] = [asSessionId('0190-first'), asSessionId('0190-second')]
    sender.send(first)
    await vi.waitFor(() => expect(taken).toEqual([first]), WAIT)
    proxy.freezeAt('0190-swallowed')
    sender.send(asSessionId('0190-swallowed'))
    await vi.waitFor(() => expect(problems).toContain('a job was not sent'), WAIT)
    sender.send(second)
    await vi.waitFor(() => expect(taken).toEqual([first, second]), WAIT)
    await worker.stop()
    await sender.close()
    proxy.close()
  })

  it('cluster 25: of a node that died with it does not keep others from the session', async () => {
    const session = asSessionId('0190-orphaned')
    const died = Promise.withResolvers<void>()
    const dead = await startWorker(async () => {
      died.resolve()
      await new Promise(() => undefined)
    })
    dead.send(session)
    await died.promise
    // Its job is active for ever, as that of a process that was killed.
    const taken: SessionId[] = []
    const heir = await startWorker(async (sessionId) => void taken.push(sessionId))
    heir.send(session)
    await vi.waitFor(() => expect(taken).toEqual([session]), WAIT)
  })
})
