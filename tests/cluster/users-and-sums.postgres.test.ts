// Three nodes in this process, on one database: what belongs to whom, and what was spent.
import { randomUUID } from 'node:crypto'
import { asSessionId, asUserId, type Stores } from '@polylogue/engine'
import { openPostgresStores } from '@polylogue/store-postgres'
import { openSqliteStores } from '@polylogue/store-sqlite'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSeededRandom } from '../storage-faults/seeded-random.ts'
import { V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import type { ServerDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { runTurnsEverywhere } from './support/turns-everywhere.ts'

const clock = { now: () => Date.now(), setTimer: () => ({ cancel: () => undefined }) }
let database: ServerDatabase
let nodes: readonly TestServer[]
let stores: Stores

beforeAll(async () => {
  database = await createTestDatabase()
  const start = (): Promise<TestServer> => startTestServer({ database: database.url })
  nodes = [await start(), await start(), await start()]
  stores = await openPostgresStores({ url: database.url, clock })
})

afterAll(async () => {
  await stores.close()
  for (const node of nodes) await node.stop()
  await database.drop()
})

it('cluster 14: what three nodes have counted is what their logs say', async () => {
  expect(await runTurnsEverywhere({ nodes, stores, turns: 90, seed: 'willow' })).toEqual([])
})

describe('two users of one cluster', () => {
  it('cluster 16: an id of the other answers like an unknown one, at every route and node', async () => {
    const [own, other, third] = nodes as readonly [TestServer, TestServer, TestServer]
    const [ada, grace] = [await own.createKey('ada'), await own.createKey('grace')]
    const session = await openSession(own.client(V3, ada))
    await session.turn('say mine')
    const operations = await readOperations(own, ada)
    expect(operations.length).toBeGreaterThan(25)
    const leaks: string[] = []
    for (const { url } of [other, third]) {
      for (const { method, path } of operations) {
        const [real, unknown] = [session.id, randomUUID()]
        const answers = await Promise.all([real, unknown].map((id) => ask({ url, key: grace, method, path, id })))
        if (answers[0] !== answers[1]) leaks.push(`${method} ${path}: ${answers[0]} and ${answers[1]}`)
      }
    }
    expect(leaks).toEqual([])
    expect(JSON.stringify(await session.history())).toContain('mine')
  })
})

it('cluster 9: lists have the same order on both stores, page by page', async () => {
  const folder = await createTempDir()
  const sqlite = await openSqliteStores({ file: join(folder.path, 'lists.db'), clock })
  try {
    const random = createSeededRandom('lists')
    const user = asUserId('lister')
    const words = ['Äpfel', 'apples', 'Zebra', 'zebra', 'ß', 'tea', 'été', '茶', '_', '%', '10', '9']
    const ids: string[] = []
    for (let made = 0; made < 1_000; made += 50) {
      const batch = Array.from({ length: 50 }, () => {
        const sessionId = asSessionId(`0190${random.int(1e9).toString(16)}-${ids.length}`)
        ids.push(sessionId)
        const title = `${random.pick(words)} ${random.pick(words)} ${random.int(20)}`
        const listing = {
          ...{ title, isPinned: random.int(10) === 0, isStarted: random.int(4) > 0, changedAt: random.int(200) },
          ...(random.int(3) === 0 && { directory: `/home/ann/${random.pick(words)}` }),
        }
        const at = 1_000 + random.int(500)
        return { sessionId, expectedSeq: 0, at, events: [said], wanted: false, create: { userId: user }, listing }
      })
      for (const { events } of [sqlite, stores]) await Promise.all(batch.map((request) => events.append(request)))
    }
    // The embedded store indexes texts after it has stored them.
    const whole = async (): Promise<true | undefined> =>
      (await sqlite.events.findSessions({ userId: user, limit: 1, offset: 0, text: 'zebra' })).isPartial
        ? undefined
        : true
    await eventually(whole, 'the index is whole')
    const listed = async ({ events }: Stores): Promise<unknown> => ({
      all: await pages((before) =>
        events.listSessions({ userId: user, limit: 70, ...(before && { before: asSessionId(before) }) }),
      ),
      found: await Promise.all(
        [
          {},
          { isStarted: true as const },
          { text: 'zebra' },
          { text: 'ä' },
          { text: '茶' },
          { directory: '/home/ann/tea' },
        ].map(async (query) => {
          const found = await Promise.all(
            [0, 40, 80].map((offset) => events.findSessions({ userId: user, limit: 40, offset, ...query })),
          )
          expect(found[0]?.total).toBeGreaterThan(0)
          return found.map(({ rows, total }) => ({ total, ids: rows.map(({ sessionId }) => sessionId) }))
        }),
      ),
    })
    expect(await listed(stores)).toEqual(await listed(sqlite))
  } finally {
    await sqlite.close()
    await folder.remove()
  }
}, 120_000)

const said = { type: 'turn.cancel-requested', turnId: 'turn_1' as never, reason: 'list' } as const

async function pages(read: (before?: string) => Promise<readonly { readonly sessionId: string }[]>): Promise<string[]> {
  const all: string[] = []
  for (;;) {
    const page = await read(all.at(-1))
    if (page.length === 0) return all
    all.push(...page.map(({ sessionId }) => sessionId))
  }
}

interface Operation {
  readonly method: string
  readonly path: string
}

/** Every operation on a session that the server describes. */
async function readOperations({ url }: TestServer, key: string): Promise<readonly Operation[]> {
  const response = await fetch(`${url}/openapi.json`, { headers: { authorization: `Bearer ${key}` } })
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, unknown>> }
  return Object.entries(paths)
    .filter(([path]) => /\/sessions?\/\{/.test(path))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })))
}

interface Question extends Operation {
  readonly url: string
  readonly key: string
  readonly id: string
}

/** The status and the text of an answer, without the id that was asked for. */
async function ask({ url, key, method, path, id }: Question): Promise<string> {
  const target = path.replace(/\{(?:id|sid)\}/, id).replaceAll(/\{\w+\}/g, 'x1')
  const body = /turns|v1\/session\/\{id\}$/.test(path)
    ? { messages: [{ role: 'user', content: 'say no' }] }
    : { title: 'x', is_pinned: true, pinned: true, decision: 'allow', granted: true, enabled: true }
  const response = await fetch(`${url}${target}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', origin: new URL(url).origin },
    ...(method !== 'GET' && { body: JSON.stringify(body) }),
  })
  return `${response.status} ${(await response.text()).replaceAll(id, 'ID')}`
}
