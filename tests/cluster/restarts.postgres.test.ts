import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ServerDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { prepareNodes, type Nodes } from './support/nodes.ts'
import { restartNodes } from './under-load/restart-nodes.ts'

let database: ServerDatabase
let nodes: Nodes

beforeEach(async () => {
  database = await createTestDatabase()
  nodes = await prepareNodes(database.url)
})
afterEach(async () => {
  await nodes.remove()
  await database.drop()
})

describe('nodes of one cluster', { timeout: 120_000 }, () => {
  it('cluster 69: nodes that have nothing to do ask the database at most 15 times a second each', async () => {
    await Promise.all([nodes.start('a'), nodes.start('b')])
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    const read = async (): Promise<{ readonly count: number; readonly at: number }> => {
      await client.query('SELECT pg_stat_clear_snapshot()')
      const { rows } = await client.query<{ count: string }>(
        'SELECT xact_commit + xact_rollback AS count FROM pg_stat_database WHERE datname = current_database()',
      )
      return { count: Number(rows[0]?.count), at: performance.now() }
    }
    const before = await read()
    const after = await eventually(async () => {
      const now = performance.now()
      return now - before.at > 5_000 ? await read() : undefined
    }, 'five seconds have passed')
    await client.end()
    expect((after.count - before.count) / ((after.at - before.at) / 1_000)).toBeLessThanOrEqual(30)
  })

  it('cluster 32: a rolling restart under load loses no turn and runs none twice', async () => {
    const { turns, complaints } = await restartNodes(3)
    expect(complaints).toEqual([])
    expect(turns).toBeGreaterThan(8)
  })
})
