import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { type ServerDatabase, type TestServer, startTestServer } from '../support/test-server.ts'
import { consoleOf, playLongTurn } from './marks.ts'

let database: ServerDatabase
let one: TestServer
let other: TestServer
beforeAll(async () => {
  database = await createTestDatabase()
  one = await startTestServer({ database: database.url })
  other = await startTestServer({ database: database.url })
}, 60_000)
afterAll(async () => {
  await one.stop()
  await other.stop()
  await database.drop()
})

async function storedMarks(): Promise<readonly number[]> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const { rows } = await client.query<{ seq: string }>('SELECT seq FROM polylogue.projection_marks ORDER BY seq')
  await client.end()
  return rows.map(({ seq }) => Number(seq))
}

it('console 75: a node begins at the marks that another node has left, and a deletion removes them', async () => {
  const id = await playLongTurn(one)
  const query = { limit: 3 }
  const page = await consoleOf(one).readTurns({ id, query })
  await expect.poll(storedMarks, { timeout: 30_000 }).toHaveLength(1)
  expect(await consoleOf(other).readTurns({ id, query })).toEqual(page)
  expect(await consoleOf(other).readTurns({ id, query: { limit: 3, at: 200 } })).toMatchObject({ seq: 200 })
  expect(await storedMarks()).toHaveLength(1)
  await other.client(V3).remove(id)
  expect(await storedMarks()).toEqual([])
}, 60_000)
