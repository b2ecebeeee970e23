import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import { call, script } from '../support/script.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { createTestDatabase } from '../support/test-database.ts'
import type { ServerDatabase } from '../support/databases.ts'
import { COUNTING_TOOLS, prepareNodes, type Nodes } from './support/nodes.ts'

const MINUTES_5 = 5 * 60_000
const SHIFT = new URL('support/shift-clock.ts', import.meta.url).href

let database: ServerDatabase
let admin: pg.Client
let nodes: Nodes
let web: ServerProcess

/** The clocks of the two nodes are ten minutes apart. */
const off = (ms: number) => ({ environment: { NODE_OPTIONS: `--import ${SHIFT}`, CLOCK_OFF_MS: String(ms) } })

beforeAll(async () => {
  database = await createTestDatabase()
  admin = new pg.Client({ connectionString: database.url })
  await admin.connect()
  nodes = await prepareNodes(database.url)
  web = await nodes.start('web', { flags: ['--role', 'web'], ...off(MINUTES_5) })
  await nodes.start('worker', { flags: ['--role', 'worker'], ...off(-MINUTES_5) })
}, 60_000)
afterAll(async () => {
  await nodes.remove()
  await admin.end()
  await database.drop()
})

const textIn = (frames: readonly { readonly data: Readonly<Record<string, unknown>> }[]): string =>
  frames.map(({ data }) => data['delta'] ?? '').join('')

describe('two nodes on one database', { timeout: 60_000 }, () => {
  it('cluster 42: write the time of the database, however wrong their clocks are', async () => {
    const session = await openSession(web.client(V3), { agent: 'counting' })
    for (const word of ['one', 'two']) {
      expect(textIn(await (await session.stream('delta', `say ${word}`)).finished())).toBe(word)
    }
    const { rows } = await admin.query<{ at: string; now: string }>(
      'SELECT at, polylogue.now_ms() AS now FROM polylogue.events WHERE session_id = $1 ORDER BY seq',
      [session.id],
    )
    const times = rows.map(({ at }) => Number(at))
    expect(times.length).toBeGreaterThan(8)
    const now = Number(rows[0]?.now)
    for (const at of times) expect(Math.abs(now - at)).toBeLessThan(MINUTES_5 / 2)
    const created = await fetch(`${web.url}/api/scheduled-tasks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${web.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'Often', prompt: 'say tick', cron: '* * * * *', timezone: 'UTC', enabled: true }),
    })
    expect(created.status).toBe(201)
    const slots = await admin.query<{ slot: string }>('SELECT next_slot_at AS slot FROM polylogue.schedules')
    const next = Number(slots.rows[0]?.slot)
    expect(next - now).toBeGreaterThan(-60_000)
    expect(next - now).toBeLessThan(120_000)
    await admin.query('DELETE FROM polylogue.schedules')
  })

  it('cluster 44: start turns also while the tables of the jobs are locked', async () => {
    const session = await openSession(web.client(V3), { agent: 'counting' })
    await admin.query('BEGIN; LOCK TABLE polylogue_jobs.job IN ACCESS EXCLUSIVE MODE')
    try {
      const askedAt = performance.now()
      expect(textIn(await (await session.stream('delta', 'say now')).finished())).toBe('now')
      // Four seconds are promised, on a machine with nothing else to do.
      expect(performance.now() - askedAt).toBeLessThan(20_000)
    } finally {
      await admin.query('ROLLBACK')
    }
    expect(textIn(await (await session.stream('delta', 'say again')).finished())).toBe('again')
  })

  it('cluster 45: on a full disk they refuse with 507, read and cancel, and continue when there is room', async () => {
    const session = await openSession(web.client(V3), { agent: 'counting', tools: COUNTING_TOOLS })
    const run = nodes.counting.nextRun()
    const stream = await session.stream('delta', script('say Hello', call('c1', 'linger', { run })))
    const ended = stream.finished()
    ended.catch(() => undefined)
    await nodes.untilRun(run)
    await admin.query(`CREATE FUNCTION public.no_room() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
      CREATE TRIGGER no_room BEFORE INSERT ON polylogue.events FOR EACH ROW EXECUTE FUNCTION public.no_room()`)
    const refused = await web.client(V3).create({ agent: { name: 'counting' } })
    expect(refused.status).toBe(507)
    expect(JSON.stringify(await session.history())).toContain('Hello')
    expect((await web.client(V3).get(session.id)).status).toBe(200)
    // The turn runs on the other node, and stops there although nothing can be recorded.
    expect((await web.client(V3).cancel(session.id)).status).toBeLessThan(300)
    expect(stream.frames.at(-1)?.event).not.toBe('turn_stop')
    // The nodes try to append all the time: PostgreSQL may end this statement, of the two that wait for each other.
    await expect
      .poll(() => admin.query('DROP TRIGGER no_room ON polylogue.events; DROP FUNCTION public.no_room()').then(() => 'gone', String))
      .toBe('gone')
    expect((await ended).at(-1)?.event).toBe('turn_stop')
    // Nothing could record what became of the call while it was stopped: it is reported as cancelled or as unknown.
    expect(JSON.stringify(await session.history())).toMatch(/cancelled|Outcome unknown/)
  })
})
