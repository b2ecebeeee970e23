import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { consoleOf, playLongTurn } from './marks.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

function storedMarks(): readonly number[] {
  const db = new DatabaseSync(join(server.dataDir, 'polylogue.db'), { readOnly: true })
  const rows = db.prepare('SELECT seq FROM projection_marks ORDER BY seq').all()
  db.close()
  return rows.map(({ seq }) => Number(seq))
}

it('console 75: the first reader of a long log leaves marks, which a restart keeps and a deletion removes', async () => {
  const id = await playLongTurn(server)
  const query = { limit: 3 }
  const before = await consoleOf(server).readTurns({ id, query })
  expect(before.seq).toBeGreaterThan(256)
  await expect.poll(storedMarks, { timeout: 30_000 }).toHaveLength(1)
  await server.restart()
  const api = consoleOf(server)
  expect(await api.readTurns({ id, query })).toEqual(before)
  expect(await api.readTurns({ id, query: { limit: 3, at: 200 } })).toMatchObject({ seq: 200 })
  expect(storedMarks()).toHaveLength(1)
  await server.client(V3).remove(id)
  expect(storedMarks()).toEqual([])
})
