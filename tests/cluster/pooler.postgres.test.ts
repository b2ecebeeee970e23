// The nodes of this file reach the database through a real pgbouncer, which gives each transaction another connection.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import { attachSession, openSession } from '../support/aap-session.ts'
import { dropDatabases, useDatabases } from '../support/databases.ts'
import { query } from '../support/test-database.ts'
import { startTestServer } from '../support/test-server.ts'
import { NEXT, call, script } from '../support/script.ts'
import { COUNTING_TOOLS, prepareNodes } from './support/nodes.ts'
import { startPgbouncer, type StartedPgbouncer } from './support/start-pgbouncer.ts'

let pooler: StartedPgbouncer

/** A machine without pgbouncer installs it here. */
const INSTALL_MS = 300_000

beforeAll(async () => {
  pooler = await startPgbouncer()
}, INSTALL_MS)
afterAll(async () => {
  await dropDatabases()
  await pooler.stop()
})

useDatabases(() => pooler.createDatabase())

describe('cluster 67: AAP through pgbouncer', async () => {
  await import('../aap/list-get-delete.test.ts')
  await import('../aap/repeat-and-cancel.test.ts')
})

describe('nodes behind a pooler of transactions', { timeout: 90_000 }, () => {
  it('cluster 67: two nodes share turns, streams and commands, with LISTEN past the pooler', async () => {
    const database = await pooler.createDatabase()
    const nodes = await prepareNodes(database.url)
    try {
      const flags = ['--database-direct', database.directUrl]
      const [a, b] = await Promise.all([nodes.start('a', { flags }), nodes.start('b', { flags })])
      const session = await openSession(a.client(V3), { agent: 'counting', tools: COUNTING_TOOLS })
      const run = nodes.counting.nextRun()
      const own = await session.stream('delta', script('say Hello', call('c1', 'linger', { run }), NEXT, 'say done'))
      const there = (await b.client(V3).events(session.id, '?after=0')).finished()
      await nodes.untilRun(run)
      const text = `SELECT DISTINCT application_name AS name FROM pg_stat_activity
        WHERE datname = current_database() AND application_name LIKE 'polylogue%' ORDER BY 1`
      const names = (await query(pooler.asSuperuser(database.directUrl), text)).map(({ name }) => name)
      expect(names).toEqual(['polylogue', 'polylogue bus', 'polylogue jobs'])
      await a.kill()
      void own.finished().catch(() => undefined)
      expect((await there).at(-1)?.event).toBe('turn_stop')
      expect(JSON.stringify(await attachSession(b.client(V3), session.id).history())).toContain('Outcome unknown')
      expect(await nodes.counting.timesRun(run)).toBe(1)
    } finally {
      await nodes.remove()
      await database.drop()
    }
  })

  it('cluster 67: a setting that cannot work is refused in a sentence', async () => {
    const database = await pooler.createDatabase()
    const start = (url: string, databaseDirect?: string): Promise<unknown> =>
      startTestServer({ database: url, ...(databaseDirect !== undefined && { databaseDirect }) }).then(
        (server) => server.stop(),
        (error: unknown) => (error instanceof Error ? error.message : error),
      )
    const { url, directUrl } = database
    const prepared = url.replace('?prepare=off', '')
    try {
      expect(await start(url)).toBe(
        'A pooler such as pgbouncer answers in place of the database: name the database itself with --database-direct.',
      )
      expect(await start(prepared, directUrl)).toMatch(/^The pooler loses prepared statements: add \?prepare=off/)
      expect(await start(pooler.asSuperuser(url), pooler.asSuperuser(directUrl))).toMatch(
        /^The role of --database may bypass row-level security/,
      )
      expect(await start(url, 'sqlite:other.db')).toBe('--database-direct must be postgres://USER@HOST/DATABASE.')
      expect(await start('sqlite:own.db', directUrl)).toMatch(/^--database-direct needs a database/)
    } finally {
      await database.drop()
    }
  })
})
