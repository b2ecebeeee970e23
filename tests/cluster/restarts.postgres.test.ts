import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import { attachSession, openSession } from '../support/aap-session.ts'
import { prepareCountingAgent, type CountingAgent } from '../support/counting-agent.ts'
import type { ServerDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { NEXT, call, script } from '../support/script.ts'
import { startServerProcess, type ServerProcess } from '../support/server-process.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { createTestDatabase } from '../support/test-database.ts'

let database: ServerDatabase
let counting: CountingAgent
let folder: TempDir
const nodes: ServerProcess[] = []

beforeAll(async () => {
  counting = await prepareCountingAgent()
})
afterAll(() => counting.remove())
beforeEach(async () => {
  database = await createTestDatabase()
  folder = await createTempDir()
})
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.kill()))
  await folder.remove()
  await database.drop()
})

async function startNode(name: string, ...more: readonly string[]): Promise<ServerProcess> {
  const node = await startServerProcess({
    dataDir: join(folder.path, name),
    startDir: folder.path,
    flags: ['--database', database.url, '--config', counting.configFile, ...more],
    environment: { ...counting.environment, POLYLOGUE_SECRET_KEY_FILE: join(folder.path, 'secret.key') },
  })
  nodes.push(node)
  return node
}

const TOOLS = [{ name: 'count', trust: true }]

describe('nodes of one cluster', { timeout: 120_000 }, () => {
  it('cluster 69: nodes that have nothing to do ask the database at most 15 times a second each', async () => {
    await Promise.all([startNode('a'), startNode('b')])
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
    let [a, b] = await Promise.all([startNode('a'), startNode('b')])
    const key = a.key
    const sessions = await Promise.all(
      Array.from({ length: 6 }, () => openSession(a.client(V3), { agent: 'counting', tools: TOOLS })),
    )
    const runs = new Map(sessions.map(({ id }) => [id, Array.from({ length: 5 }, () => counting.nextRun())]))
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
    a = await startNode('a')
    expect(await b.stop()).toBe(0)
    b = await startNode('b')
    await Promise.all(work)
    for (const [id, planned] of runs) {
      const history = JSON.stringify(await attachSession(b.client(V3, key), id).history())
      for (const run of planned) {
        expect(await counting.timesRun(run)).toBe(1)
        expect(history.split(`"text":"${run}"`).length + history.split(`"content":"${run}"`).length).toBe(3)
      }
    }
  })
})
