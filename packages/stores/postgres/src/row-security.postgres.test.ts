import { ROOT_LOOP, asEntryId, asSessionId, asTurnId, asUserId, type Stores, type UserId } from '@polylogue/engine'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase, type Database, type Query } from './database.ts'
import { createHeavyReads } from './heavy-reads.ts'
import { openPostgresStores } from './open-postgres-stores.ts'
import { createPostgresEventStore } from './postgres-event-store.ts'
import { createPostgresMemoryStore } from './postgres-memory-store.ts'
import { createPostgresRuleStore } from './postgres-rule-store.ts'
import { createPostgresScheduleStore } from './postgres-schedule-store.ts'
import { createPostgresUsageStore } from './postgres-usage-store.ts'
import { createTestDatabase, type TestDatabase } from './test-support/test-database.ts'

const [ADA, GRACE] = [asUserId('ada'), asUserId('grace')]
const SESSIONS = new Map([
  [ADA, asSessionId('0190-ada')],
  [GRACE, asSessionId('0190-grace')],
])
const clock = { now: () => Date.now(), setTimer: () => ({ cancel: () => undefined }) }
/** Of a function of the schema: whose rows it takes. */
const CONDITION = /\w+\.(?:user_id|session_id) = (?:owner_id|id)|\w+\.by_user = asker/g
const sessionOf = (userId: UserId) => SESSIONS.get(userId)!

let database: TestDatabase
let stores: Stores
beforeAll(async () => {
  database = await createTestDatabase()
  stores = await openPostgresStores({ url: database.url, clock })
  for (const userId of [ADA, GRACE]) await fill(userId)
})
afterAll(async () => {
  await stores.close()
  await database.drop()
})

/** Every text names its user. */
async function fill(userId: UserId): Promise<void> {
  const sessionId = sessionOf(userId)
  const { fence } = (await stores.events.append({
    sessionId,
    expectedSeq: 0,
    at: 1_000,
    create: { userId },
    events: [{ type: 'turn.cancel-requested', turnId: asTurnId('turn_1'), reason: `of ${userId}` }],
    wanted: true,
    claim: { owner: 'node', leaseMs: 60_000 },
    names: ['n', `of ${userId}`],
    summary: `{"by":"${userId}"}`,
    snapshot: `{"of":"${userId}"}`,
    listing: { isPinned: false, isStarted: true, title: `of ${userId}` },
    receipt: { userId, key: 'k', fingerprint: `of ${userId}`, turnId: asTurnId('turn_1'), firstEvent: 0 },
    secrets: [{ name: `of ${userId}`, sealed: Uint8Array.of(1) }],
    blobs: [{ hash: 'h', mediaType: `of ${userId}`, bytes: Uint8Array.of(1) }],
    usage: [
      {
        callId: asEntryId('call'),
        kind: 'step',
        userId,
        loops: [ROOT_LOOP],
        agent: `of ${userId}`,
        model: 'm',
        usage: { inputTokens: 1, outputTokens: 1 },
      },
    ],
  })) as { fence?: { owner: string; epoch: number } }
  await stores.events.saveDrafts(sessionId, fence!, [
    { stepId: asEntryId(`of ${userId}`), block: 0, kind: 'text', text: `of ${userId}` },
  ])
  await stores.marks.keep(sessionId, { door: 'one', format: 1 }, [{ seq: 1, content: `of ${userId}` }])
  await stores.schedules.addSchedule({
    scheduleId: `task_${userId}`,
    userId,
    title: `of ${userId}`,
    prompt: 'go',
    cron: '0 0 * * *',
    timezone: 'UTC',
    isEnabled: true,
    isUnattended: false,
    createdAt: 1,
    decidedUntil: 1,
    zoneRules: '1',
    revision: 1,
  })
  await stores.memories.addMemory(userId, { type: 'feedback', content: `tea of ${userId}` })
  await stores.rules.addRule(userId, {
    ruleId: `rule_${userId}`,
    rule: { tool: `of ${userId}`, action: 'ask' },
    createdAt: 1,
  })
}

describe('row-level security', () => {
  const READS: readonly (readonly [name: string, call: string])[] = [
    ['read_events', "read_events('0190-ada', 0, 100, 1000000)"],
    ['read_drafts', "read_drafts('0190-ada')"],
    ['read_snapshot', "read_snapshot('0190-ada')"],
    ['find_receipt', "find_receipt('0190-ada', 'ada', 'k')"],
    ['taken_names', "taken_names('0190-ada', ARRAY['n', 'of ada', 'of grace'])"],
    ['read_blob', "read_blob('0190-ada', 'h')"],
    ['read_secrets', "read_secrets('0190-ada')"],
    ['read_marks', "read_marks('0190-ada', 'one', 1)"],
  ]

  /** What a function answers when one of its conditions on user or session is always true, and when all of them are. */
  async function withoutConditions(name: string, call: string, before = ''): Promise<readonly string[]> {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    try {
      const found = await client.query<{ text: string }>(
        `SELECT pg_get_functiondef(oid) AS text FROM pg_proc WHERE proname = $1 AND pronamespace = 'polylogue'::regnamespace`,
        [name],
      )
      const text = found.rows[0]?.text ?? ''
      const mutants = [...text.matchAll(CONDITION)].map(
        ({ 0: condition, index }) => `${text.slice(0, index)}true${text.slice(index + condition.length)}`,
      )
      mutants.push(text.replaceAll(CONDITION, 'true'))
      expect(mutants.length).toBeGreaterThan(2)
      const answers: string[] = []
      for (const mutant of mutants) {
        await client.query(`BEGIN; ${mutant}; ${before} SET LOCAL ROLE polylogue_plain`)
        const { rows } = await client.query(`SELECT * FROM polylogue.${call}`)
        answers.push(JSON.stringify(rows))
        await client.query('ROLLBACK')
      }
      return answers
    } finally {
      await client.end()
    }
  }

  it.each(READS)(
    'cluster 15: %s shows nothing of other users when one of its conditions is dropped',
    async (name, call) => {
      for (const answer of await withoutConditions(name, call)) {
        expect(answer).toContain('ada')
        expect(answer).not.toContain('grace')
      }
    },
  )

  it('is what keeps them apart: the same changes show rows of others to a function that runs for all users', async () => {
    const leaks: string[] = []
    for (const [name, call] of READS) {
      const forAll = `ALTER FUNCTION polylogue.${call.replace(/\(.*/, '')} SET xmlbinary = 'hex';`
      if ((await withoutConditions(name, call, forAll)).some((answer) => answer.includes('grace'))) leaks.push(name)
    }
    expect(leaks).toEqual(READS.map(([name]) => name))
  })

  it('takes the name of a user as it is', async () => {
    const userId = asUserId("o'brien\\'; -- \u0000 $1")
    const sessionId = asSessionId('0190-o')
    const created = { sessionId, expectedSeq: 0, at: 1, create: { userId }, events: [], summary: '{}', wanted: false }
    await stores.events.append({
      ...created,
      events: [{ type: 'turn.cancel-requested', turnId: asTurnId('t'), reason: 'x' }],
    })
    expect(await stores.events.listSessions({ userId, limit: 10 })).toEqual([{ sessionId, summary: '{}' }])
    expect(await stores.events.listSessions({ userId: asUserId("o'brien"), limit: 10 })).toEqual([])
  })

  it('cluster 15: no store shows anything of other users when its statements forget the user', async () => {
    const db = openDatabase({ url: database.url, role: 'polylogue_plain' })
    let changed = 0
    const forget =
      (query: Query): Query =>
      (statement) => {
        const text = statement.text.replaceAll(/(?:\w+\.)?user_id = \$(\d+)/g, '$$$1::text IS NOT NULL')
        if (text !== statement.text) changed += 1
        return query({ text, ...(statement.values && { values: statement.values }) })
      }
    const forgetful: Database = {
      ...db,
      asUser: (userId, work) => db.asUser(userId, (query) => work(forget(query))),
      change: (userId, work) => db.change(userId, (query) => work(forget(query))),
    }
    try {
      const heavy = createHeavyReads()
      const events = createPostgresEventStore(forgetful, heavy)
      const memories = createPostgresMemoryStore(forgetful, clock)
      const shown = await Promise.all([
        events.listSessions({ userId: ADA, limit: 10 }),
        events.findSessions({ userId: ADA, offset: 0, limit: 10 }),
        events.findSessions({ userId: ADA, text: 'of', offset: 0, limit: 10 }),
        memories.listMemories(ADA, { limit: 10 }),
        createPostgresRuleStore(forgetful).listRules(ADA),
        createPostgresScheduleStore(forgetful).listSchedules(ADA),
        createPostgresUsageStore({ db: forgetful, heavy, clock }).sumUsage({ by: ['agent'], userId: ADA, limit: 10 }),
      ])
      expect(changed).toBeGreaterThanOrEqual(8)
      for (const part of shown) {
        expect(JSON.stringify(part)).toContain('ada')
        expect(JSON.stringify(part)).not.toContain('grace')
      }
    } finally {
      await db.close()
    }
  })
})
