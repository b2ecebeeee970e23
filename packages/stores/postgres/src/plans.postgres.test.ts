import { DAY_MS, StorageFault, asSessionId, asUserId, type Stores } from '@polylogue/engine'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgresStores } from './open-postgres-stores.ts'
import { createTestDatabase, type TestDatabase } from './test-support/test-database.ts'

const NOW = 1_700_000_000_000
const clock = { now: () => NOW, setTimer: () => ({ cancel: () => undefined }) }
const USER = asUserId('u1')
const SESSION = asSessionId('s000005')

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await (await openPostgresStores({ url: database.url, clock })).close()
  // 200 users with 100 sessions each. One session in twenty runs.
  await database.query(`
    INSERT INTO polylogue.sessions (user_id, session_id, last_seq, summary, summary_crc, stored_bytes, epoch, wanted_since, owner)
      SELECT 'u' || (i % 200), 's' || lpad(i::text, 6, '0'), 1, '{}', 0, 1, 1, CASE WHEN i % 20 = 0 THEN i END,
        CASE WHEN i % 40 = 0 THEN 'node' END FROM generate_series(1, 20000) AS i;
    INSERT INTO polylogue.events SELECT user_id, session_id, 1, 1, 'x', 1, '{}', 0 FROM polylogue.sessions;
    INSERT INTO polylogue.listings SELECT user_id, session_id, ${NOW} + last_seq * 1000, 0, 1, NULL, 'tea', ' tea '
      FROM polylogue.sessions;
    INSERT INTO polylogue.spoken_words SELECT user_id, session_id, 1, ' hello ' FROM polylogue.sessions;
    INSERT INTO polylogue.usage SELECT 'u' || (i % 200), 's' || lpad(i::text, 6, '0'), 'c', ${NOW} - 60000 * (i % 20000), 'step',
      'key' || (i % 4), NULL, 'root', 'a', 'm', 1, 1, 1, 0, 0, 0, 1, 'USD' FROM generate_series(1, 20000) AS i;
    INSERT INTO polylogue.schedules (user_id, schedule_id, title, prompt, cron, timezone, is_enabled, is_unattended, created_at,
        decided_until, next_slot_at, zone_rules, revision, crc)
      SELECT 'u' || (i % 200), 'sch' || i, '', '', '', '', 1, 1, 0, 0, ${NOW} + i, '2025a', 1, 0 FROM generate_series(1, 20000) AS i;
    INSERT INTO polylogue.schedule_slots (user_id, schedule_id, slot_at, decided_at, outcome, crc)
      SELECT user_id, schedule_id, 1, 1, 'skipped', 0 FROM polylogue.schedules;
    INSERT INTO polylogue.keys SELECT 'k' || i, 'u' || (i % 200), 'api', '', 'h' || i, '', '', 1, NULL, NULL, 1, 0
      FROM generate_series(1, 20000) AS i;
    INSERT INTO polylogue.memories (user_id, type, content, created_at, hit_count, is_disabled, word_count, crc, words)
      SELECT 'u' || (i % 200), 'x', 'tea', 1, 0, 0, 1, 0, ARRAY['tea'] FROM generate_series(1, 20000) AS i;
  `)
  await database.query('VACUUM ANALYZE')
}, 60_000)
afterAll(() => database.drop())

/** A table has 20,000 rows, of which 1,000 sessions run, and a user has 100 of each. */
const FEW = 3_000

const work: Readonly<Record<string, (stores: Stores) => Promise<unknown>>> = {
  'the page of a log': ({ events }) => events.readEvents(SESSION, 0, 100),
  'the sessions of a user': ({ events }) => events.listSessions({ userId: USER, limit: 50 }),
  'the list of a user': ({ events }) => events.findSessions({ userId: USER, offset: 0, limit: 50 }),
  'a search of a user': ({ events }) => events.findSessions({ userId: USER, text: 'hello', offset: 0, limit: 50 }),
  'the sessions without a runner': ({ events }) => events.wantedSessions(100, 1),
  'the oldest sessions': ({ events }) => events.findStale(NOW + 2_000, 50),
  'the turns that wait': ({ cluster }) => cluster!.nodes.backlog(),
  'the nodes': ({ cluster }) => cluster!.nodes.list(),
  'the leases of a node': ({ cluster }) => cluster!.nodes.leases({ nodeId: 'other', limit: 100 }),
  'the keys of a user': ({ keys }) => keys.listKeys(USER),
  'a key': ({ keys }) => keys.findKey('h7'),
  'the due schedules': ({ schedules }) => schedules.dueSchedules(NOW + 10, 100),
  'the next slot': ({ schedules }) => schedules.nextSlotAt(),
  'the schedules of other time zone rules': ({ schedules }) => schedules.schedulesByOtherRules('2025a', 1_000),
  'the open runs': ({ schedules }) => schedules.openRuns(),
  'a schedule': ({ schedules }) => schedules.readSchedule('sch7'),
  'the usage of a user': ({ usage }) => usage.sumUsage({ userId: USER, by: ['day'], limit: 10 }),
  'the usage of a session': ({ usage }) => usage.sumUsage({ userId: USER, sessionId: SESSION, by: [], limit: 1 }),
  'the memories that match': ({ memories }) => memories.recall(USER, 'coffee', 5),
  'a deletion': ({ events }) => events.deleteSession(asSessionId('s000007')),
}

describe('among the rows of many users, PostgreSQL reads few', () => {
  it.each(Object.keys(work))('for %s', async (name) => {
    expect(await rowsReadBy((stores) => work[name]!(stores))).toBeLessThan(FEW)
  })

  it('for the turns of a user, which are counted before each turn', async () => {
    const nothing = await rowsReadBy(async () => undefined)
    expect((await rowsReadBy(({ cluster }) => cluster!.nodes.countTurns(USER))) - nothing).toBeLessThan(50)
  })

  it('for what a key has spent, as soon as the process has added it up once', async () => {
    const spent = ({ usage }: Stores) => usage.spentWithKey('key1', Math.floor(NOW / DAY_MS) - 20)
    const once = await rowsReadBy(spent)
    const often = await rowsReadBy(async (stores) => {
      const first = await spent(stores)
      expect(first).toEqual({ calls: 5_000, tokens: 10_000, nano: { USD: 5_000 } })
      for (let step = 0; step < 20; step++) expect(await spent(stores)).toEqual(first)
    })
    expect(often - once).toBeLessThan(FEW)
  })
})

/** The server adds up what a connection read when it ends. */
async function rowsReadBy(read: (stores: Stores) => Promise<unknown>): Promise<number> {
  // What the test itself has read is added up first.
  await database.query('SELECT pg_stat_force_next_flush()')
  await database.query('SELECT pg_stat_reset()')
  const stores = await openPostgresStores({ url: database.url, clock })
  // The rows of these tables have no checksums. They are read before that is noticed.
  await read(stores).catch((error: unknown) => {
    if (!(error instanceof StorageFault && error.kind === 'broken')) throw error
  })
  await stores.close()
  const others = `SELECT count(*)::int4 AS count FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'polylogue'`
  await expect.poll(async () => (await database.query(others))[0]?.['count']).toBe(0)
  const [row] = await database.query(`SELECT
    (SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE schemaname = 'polylogue')
    + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE schemaname = 'polylogue') AS rows`)
  return Number(row?.['rows'])
}
