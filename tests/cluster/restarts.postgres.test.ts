import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import { attachSession, openSession } from '../support/aap-session.ts'
import type { ServerDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { NEXT, call, script } from '../support/script.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { prepareNodes, type Nodes } from './support/nodes.ts'

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

const TOOLS = [{ name: 'count', trust: true }]

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
    let [a, b] = await Promise.all([nodes.start('a'), nodes.start('b')])
    const key = a.key
    const sessions = await Promise.all(
      Array.from({ length: 6 }, () => openSession(a.client(V3), { agent: 'counting', tools: TOOLS })),
    )
    const runs = new Map(sessions.map(({ id }) => [id, Array.from({ length: 5 }, () => nodes.counting.nextRun())]))
    const work = [...runs].map(async ([id, planned]) => {
      let tries = 0
      for (const run of planned) {
        const content = script(call(`c${run}`, 'count', { run }), NEXT, `say ${run}`)
        await eventually(async () => {
          const { client } = tries++ % 2 === 0 ? a : b
          const headers = { 'idempotency-key': run }
          const body = { messages: [{ role: 'user' as const, content }] }
          const answer = await client(V3, key)
            .turn(id, body, headers)
            .catch(() => undefined)
          return answer?.status === 200 ? true : undefined
        }, `the turn ${run} is answered`)
      }
    })
    expect(await a.stop()).toBe(0)
    a = await nodes.start('a')
    expect(await b.stop()).toBe(0)
    b = await nodes.start('b')
    await Promise.all(work)
    for (const [id, planned] of runs) {
      const history = JSON.stringify(await attachSession(b.client(V3, key), id).history())
      for (const run of planned) {
        expect(await nodes.counting.timesRun(run)).toBe(1)
        expect(history.split(`"text":"${run}"`).length + history.split(`"content":"${run}"`).length).toBe(3)
      }
    }
  })
})
