// Three nodes in this process, on one database: what belongs to whom, and what was spent.
import { randomUUID } from 'node:crypto'
import type { Stores } from '@polylogue/engine'
import { openPostgresStores } from '@polylogue/store-postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import type { ServerDatabase } from '../support/databases.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { compareLists } from './support/compare-lists.ts'
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
  expect(await runTurnsEverywhere({ nodes, stores, turns: 500, seed: 'willow' })).toEqual([])
}, 120_000)

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

it('cluster 9: lists have the same order on both stores, page by page', { timeout: 120_000 }, async () => {
  expect(await compareLists(stores, { sessions: 1_000, seed: 'lists' })).toEqual([])
})

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
