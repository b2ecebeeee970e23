import {
  asEntryId,
  asSessionId,
  asTurnId,
  asUserId,
  type AppendRequest,
  type SessionId,
  type Stores,
  type UserId,
} from '@polylogue/engine'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from './database.ts'
import { openPostgresStores } from './open-postgres-stores.ts'
import { createPostgresStorage } from './postgres-storage.ts'
import { startCuttingProxy } from './test-support/cutting-proxy.ts'
import { createTestDatabase, type TestDatabase } from './test-support/test-database.ts'

const ADA = asUserId('ada')
const GRACE = asUserId('grace')
const TURN = asTurnId('turn_1')
const clock = { now: () => Date.now(), setTimer: () => ({ cancel: () => undefined }) }

let database: TestDatabase
let one: Stores
let other: Stores
let made = 0
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  one = await openPostgresStores({ url: database.url, clock })
  other = await openPostgresStores({ url: database.url, clock })
})
afterEach(async () => {
  await one.close()
  await other.close()
})

const newSession = (): SessionId => asSessionId(`0190-${String(++made).padStart(8, '0')}`)
const said = (reason: string) => ({ type: 'turn.cancel-requested', turnId: TURN, reason }) as const
const append = (sessionId: SessionId, expectedSeq: number, more: Partial<AppendRequest> = {}): AppendRequest => ({
  sessionId,
  expectedSeq,
  at: 1_000 + expectedSeq,
  events: [said(`after ${expectedSeq}`)],
  wanted: false,
  ...(expectedSeq === 0 && { create: { userId: ADA } }),
  ...more,
})

describe('two processes on one database', () => {
  it('count the running turns of a user together', async () => {
    const hedy = asUserId('hedy')
    const ids = [newSession(), newSession(), newSession()] as const
    await one.events.append(append(ids[0], 0, { create: { userId: hedy }, wanted: true }))
    await other.events.append(append(ids[1], 0, { create: { userId: hedy }, wanted: true }))
    await other.events.append(append(ids[2], 0, { create: { userId: hedy } }))
    for (const stores of [one, other]) expect(await stores.cluster?.nodes.countTurns(hedy)).toBe(2)
    for (const id of ids) await one.events.deleteSession(id)
    expect(await one.cluster?.nodes.countTurns(hedy)).toBe(0)
  })

  it('cluster 27: do not claim a session that five of them claimed and died, until somebody appends to it', async () => {
    const [poison, sound] = [newSession(), newSession()] as const
    for (const id of [poison, sound]) await one.events.append(append(id, 0, { wanted: true }))
    for (let death = 1; death <= 5; death++) {
      expect(await one.events.claim(poison, `dead-${death}`, -1)).toBeDefined()
      const fence = await one.events.claim(sound, `dead-${death}`, -1)
      await one.events.release(sound, fence!)
    }
    expect(await other.events.claim(poison, 'alive', 5_000)).toBeUndefined()
    expect(await other.events.wantedSessions(1_000)).not.toContain(poison)
    expect(await other.events.wantedSessions(1_000)).toContain(sound)
    expect(await other.events.claim(sound, 'alive', 5_000)).toBeDefined()
    const inspection = await createPostgresStorage(database.url, clock).inspect()
    expect((await inspection.shared?.())?.parked).toEqual([poison])
    await inspection.close()
    await other.events.append(append(poison, 1, { wanted: true }))
    expect(await other.events.claim(poison, 'alive', 5_000)).toBeDefined()
    for (const id of [poison, sound]) await one.events.deleteSession(id)
  })

  it('know whether a node that lives has room for turns', async () => {
    const nodes = one.cluster!.nodes
    const has = async () => (await other.cluster!.nodes.backlog()).hasRoom
    const beat = (nodeId: string, room: number | undefined, leaseMs = 60_000) =>
      nodes.beat(
        { nodeId, role: 'all', version: '0', machine: 'm', pid: 1, ...(room !== undefined && { room }) },
        leaseMs,
      )
    await beat('runs-none', undefined)
    await beat('full', 0)
    await beat('dead', 5, -1)
    expect(await has()).toBe(false)
    await beat('full', 1)
    expect(await has()).toBe(true)
    await beat('full', 0)
    expect(await has()).toBe(false)
    for (const nodeId of ['runs-none', 'full', 'dead']) await nodes.leave(nodeId)
  })

  it('cluster 10: race for a session, and one of them gets it', async () => {
    for (let race = 0; race < 200; race++) {
      const id = newSession()
      await one.events.append(append(id, 0))
      const claims = await Promise.all([one.events.claim(id, 'a', 5_000), other.events.claim(id, 'b', 5_000)])
      expect(claims.filter((fence) => fence !== undefined)).toHaveLength(1)
    }
  })

  it('cluster 11: the former runner can neither append nor save drafts nor release', async () => {
    const id = newSession()
    await one.events.append(append(id, 0))
    const old = await one.events.claim(id, 'short-lived', 1)
    await expect.poll(() => other.events.claim(id, 'b', 60_000)).toBeDefined()
    const fenced = { type: 'conflict', reason: 'fenced' }
    expect(await one.events.append(append(id, 1, { fence: old! }))).toEqual(fenced)
    expect(await one.events.append(append(id, 1, { fence: old!, release: true }))).toEqual(fenced)
    const draft = { stepId: asEntryId('entry_1'), block: 0, kind: 'text', text: 'late' } as const
    expect(await one.events.saveDrafts(id, old!, [draft])).toBe(false)
    await one.events.release(id, old!)
    expect(await one.events.claim(id, 'c', 1_000)).toBeUndefined()
  })

  it('cluster 12: one append that cannot be stored does not hurt the others of its group', async () => {
    const ids = Array.from({ length: 20 }, newSession)
    const call = {
      callId: asEntryId('call_1'),
      kind: 'step',
      userId: ADA,
      loops: ['main'],
      agent: 'a',
      model: 'm',
    } as never
    const results = await Promise.allSettled(
      ids.map((id, index) => one.events.append(append(id, 0, index === 7 ? { usage: [call, call] } : {}))),
    )
    expect(results.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([7])
    expect(await one.events.readHead(ids[7]!)).toBeUndefined()
    expect(await one.events.readHead(ids[8]!)).toEqual({ userId: ADA, lastSeq: 1 })
  })

  it('cluster 12: appends of a user whose rows somebody has locked do not delay those of others', async () => {
    const [locked, free] = [asUserId('locked'), asUserId('free')]
    const [of, ...others] = Array.from({ length: 6 }, newSession)
    await Promise.all([
      one.events.append(append(of!, 0, { create: { userId: locked } })),
      ...others.map((id) => one.events.append(append(id, 0, { create: { userId: free } }))),
    ])
    await database.query("BEGIN; SELECT FROM polylogue.user_sizes WHERE user_id = 'locked' FOR UPDATE")
    const order: string[] = []
    const noting = async (what: string, id: SessionId, expectedSeq: number): Promise<unknown> => {
      const result = await one.events.append(append(id, expectedSeq))
      order.push(what)
      return result
    }
    const waiting = noting('locked', of!, 1)
    for (let seq = 1; seq < 4; seq++) {
      const stored = { type: 'appended', lastSeq: seq + 1 }
      expect(await Promise.all(others.map((id) => noting('free', id, seq)))).toEqual(others.map(() => stored))
    }
    expect(order).not.toContain('locked')
    await database.query('COMMIT')
    expect(await waiting).toEqual({ type: 'appended', lastSeq: 2 })
  })

  it('cluster 12: an append of a runner waits for locked rows longer than statements do', async () => {
    const id = newSession()
    await one.events.append(append(id, 0))
    const fence = await one.events.claim(id, 'a', 60_000)
    await database.query(`BEGIN; SELECT FROM polylogue.sessions WHERE session_id = '${id}' FOR UPDATE`)
    const lockedAt = performance.now()
    const waiting = one.events.append(append(id, 1, { fence: fence! }))
    const command = one.events.append(append(id, 1))
    await expect(command).rejects.toMatchObject({ kind: 'busy' })
    // `lock_timeout`
    expect(performance.now() - lockedAt).toBeGreaterThan(5_000)
    await database.query('COMMIT')
    expect(await waiting).toEqual({ type: 'appended', lastSeq: 2 })
  })

  it('cluster 13: a thousand appends, claims and renewals at once never deadlock', async () => {
    const ids = Array.from({ length: 40 }, newSession)
    const users = [ADA, GRACE, asUserId('linus')]
    await Promise.all(
      ids.map((id, index) => one.events.append(append(id, 0, { create: { userId: users[index % 3]! } }))),
    )
    const work = Array.from({ length: 1_000 }, (_, index) => {
      const { events } = index % 2 === 0 ? one : other
      const id = ids[(index * 7) % ids.length]!
      if (index % 10 === 3) return events.renew('a', ids.toReversed(), 5_000)
      return index % 10 === 5 ? events.claim(id, 'a', 5_000) : events.append(append(id, 1 + (index % 3)))
    })
    await Promise.all(work)
    const [row] = await database.query('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()')
    expect(row).toEqual({ deadlocks: '0' })
  })
})

/** PostgreSQL ends the next transaction that writes here, as it does with one of two that wait for each other. */
async function endNextWrite(table: string): Promise<void> {
  await database.query(`CREATE SEQUENCE public.writes;
    CREATE FUNCTION public.end_write() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
      IF nextval('public.writes') = 1 THEN RAISE EXCEPTION 'deadlock detected' USING ERRCODE = 'deadlock_detected'; END IF;
      RETURN coalesce(NEW, OLD);
    END $$;
    CREATE TRIGGER end_write BEFORE INSERT OR UPDATE OR DELETE ON polylogue.${table} FOR EACH ROW
      EXECUTE FUNCTION public.end_write()`)
}

describe('a transaction that PostgreSQL ends because of a deadlock', () => {
  const counted = async (): Promise<number> =>
    Number((await database.query('SELECT last_value FROM public.writes'))[0]?.['last_value'])
  let table = ''
  afterEach(() =>
    database.query(`DROP TRIGGER end_write ON polylogue.${table};
      DROP FUNCTION public.end_write; DROP SEQUENCE public.writes`),
  )

  it('cluster 13: is repeated, if it is an append', async () => {
    const [id, neighbour] = [newSession(), newSession()]
    await endNextWrite((table = 'events'))
    const results = await Promise.all([id, neighbour].map((each) => one.events.append(append(each, 0))))
    expect(results).toEqual([id, neighbour].map(() => ({ type: 'appended', lastSeq: 1 })))
    expect(await counted()).toBe(3)
    // A conflict that was there before is still one.
    expect(await one.events.append(append(id, 0))).toEqual({ type: 'conflict', reason: 'seq-moved' })
  })

  it('cluster 13: is repeated, if it deletes a session', async () => {
    const id = newSession()
    await one.events.append(append(id, 0))
    await endNextWrite((table = 'sessions'))
    expect(await one.events.deleteSession(id)).toBe(true)
    expect(await one.events.readHead(id)).toBeUndefined()
  })

  it('cluster 13: is repeated, if it saves a text that grows', async () => {
    const id = newSession()
    await one.events.append(append(id, 0))
    const fence = await one.events.claim(id, 'a', 60_000)
    await endNextWrite((table = 'draft_parts'))
    const draft = { stepId: asEntryId('entry_1'), block: 0, kind: 'text', text: 'so far' } as const
    expect(await one.events.saveDrafts(id, fence!, [draft])).toBe(true)
    expect(await one.events.readDrafts(id)).toMatchObject([{ text: 'so far' }])
  })
})

it('cluster 28: the first session of a user that waits precedes the second of another', async () => {
  const [patient, busy] = [asUserId('patient'), asUserId('busy')]
  const sessions = Array.from({ length: 300 }, newSession)
  await Promise.all(sessions.map((id) => one.events.append(append(id, 0, { wanted: true, create: { userId: busy } }))))
  const first = newSession()
  await one.events.append(append(first, 0, { wanted: true, at: 9_000, create: { userId: patient } }))
  expect(await other.events.wantedSessions(2)).toContain(first)
  // A running turn counts too: the busy user's next turn waits for every other user's first.
  await one.events.claim(sessions[0]!, 'some-node', 5_000)
  expect((await other.events.wantedSessions(1))[0]).toBe(first)
  await Promise.all([first, ...sessions].map((id) => one.events.deleteSession(id)))
})

describe('an append whose answer was lost', () => {
  it('cluster 40: is stored once, and its caller sees success', async () => {
    const proxy = await startCuttingProxy(database.url)
    const stores = await openPostgresStores({ url: proxy.url, clock })
    try {
      for (let round = 0; round < 5; round++) {
        const id = newSession()
        proxy.loseAnswerTo(id)
        const claim = { owner: 'a', leaseMs: 5_000 }
        const made = await stores.events.append(append(id, 0, { claim }))
        expect(made).toEqual({ type: 'appended', lastSeq: 1, fence: { owner: 'a', epoch: 1 } })
        proxy.loseAnswerTo(id)
        const fence = { owner: 'a', epoch: 1 }
        expect(await stores.events.append(append(id, 1, { fence, release: true }))).toEqual({
          type: 'appended',
          lastSeq: 2,
        })
        expect((await one.events.readEvents(id, 0, 10)).map(({ event }) => event)).toEqual([
          said('after 0'),
          said('after 1'),
        ])
        // Another event at the same place is still a conflict.
        proxy.loseAnswerTo(id)
        expect(await stores.events.append(append(id, 1, { at: 5 }))).toEqual({ type: 'conflict', reason: 'seq-moved' })
      }
    } finally {
      await stores.close()
      proxy.close()
    }
  })

  it('cluster 38: is stored when the database can be reached again after some seconds', async () => {
    const proxy = await startCuttingProxy(database.url)
    const stores = await openPostgresStores({ url: proxy.url, clock })
    const id = newSession()
    await stores.events.append(append(id, 0))
    const fence = await stores.events.claim(id, 'a', 60_000)
    proxy.refuse(true)
    // Of a runner, for which no client waits.
    const waiting = stores.events.append(append(id, 1, { fence: fence! }))
    const refusedAt = performance.now()
    // Longer than requests of clients wait.
    await expect.poll(() => performance.now() - refusedAt, { timeout: 20_000 }).toBeGreaterThan(6_000)
    proxy.refuse(false)
    expect(await waiting).toEqual({ type: 'appended', lastSeq: 2 })
    await stores.close()
    proxy.close()
  })

  it('is refused as busy while the database cannot be reached', async () => {
    const proxy = await startCuttingProxy(database.url)
    const stores = await openPostgresStores({ url: proxy.url, clock })
    proxy.close()
    await expect(stores.events.append(append(newSession(), 0))).rejects.toMatchObject({
      name: 'StorageFault',
      kind: 'busy',
    })
    await expect(stores.events.readHead(newSession())).rejects.toMatchObject({ name: 'StorageFault', kind: 'busy' })
    await stores.close()
  })
})

it('a statement waits for a free connection as long as the database answers others', async () => {
  const db = openDatabase({ url: database.url })
  // Ten at a time: the last ones begin after more than two seconds.
  const asked = Array.from({ length: 40 }, () => db.read({ text: 'SELECT pg_sleep(0.8)' }))
  const outcomes = await Promise.allSettled(asked)
  expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([])
  await db.close()
})

it('a process whose connections are all in use keeps its lease', async () => {
  const facts = { nodeId: 'busy', role: 'all', version: '1', machine: 'm', pid: 1, level: 1 } as const
  await database.query('BEGIN; LOCK TABLE polylogue.rules IN ACCESS EXCLUSIVE MODE')
  const order: string[] = []
  const waiting = Promise.allSettled(Array.from({ length: 30 }, () => one.rules.listRules(ADA))).then(
    () => void order.push('rules'),
  )
  await one.cluster?.nodes.beat(facts, 5_000)
  await one.events.renew('busy', [], 5_000)
  order.push('lease')
  await database.query('ROLLBACK')
  await waiting
  expect(order).toEqual(['lease', 'rules'])
  await one.cluster?.nodes.leave('busy')
})

it('a connection that cannot be made is a fault, whatever the reason', async () => {
  // The server of the tests has no certificate.
  const db = openDatabase({ url: `${database.url}?sslmode=no-verify` })
  await expect(db.read({ text: 'SELECT 1' })).rejects.toMatchObject({ name: 'StorageFault', kind: 'broken' })
  await db.close()
})

describe('a database that is frozen', () => {
  it('is reported as busy, and blocks no caller forever', async () => {
    const proxy = await startCuttingProxy(database.url)
    const stores = await openPostgresStores({ url: proxy.url, clock, answerWithinMs: 300 })
    const id = newSession()
    await stores.events.append(append(id, 0))
    proxy.freeze()
    const asked = [
      stores.events.append(append(id, 1)),
      stores.events.readHead(id),
      stores.events.claim(id, 'a', 5_000),
      stores.keys.findKey('unknown'),
    ]
    for (const outcome of await Promise.allSettled(asked)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'StorageFault', kind: 'busy' } })
    }
    proxy.close()
    await stores.close()
    expect(await one.events.readHead(id)).toMatchObject({ lastSeq: 1 })
  })
})

describe('requests that take long', () => {
  const nodeOf = (nodeId: string) => ({ nodeId, role: 'all', version: '0', machine: 'm', pid: 1 }) as const
  /** A search waits for this lock, as it would for a slow disk. */
  const whileSearchesWait = async (work: () => Promise<void>): Promise<void> => {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    try {
      await client.query('BEGIN; LOCK TABLE polylogue.listings IN ACCESS EXCLUSIVE MODE')
      await work()
    } finally {
      await client.end()
    }
  }

  it('leave the lease and the turns of their node alone', async () => {
    const id = newSession()
    const listing = { isPinned: false, isStarted: true, title: 'tea' }
    await one.events.append(append(id, 0, { listing }))
    await whileSearchesWait(async () => {
      const searches = Array.from({ length: 30 }, () =>
        one.events.findSessions({ userId: ADA, text: 'coffee', offset: 0, limit: 10 }).catch(() => undefined),
      )
      await expect.poll(countLocked).toBeGreaterThan(0)
      const began = performance.now()
      await one.cluster!.nodes.beat(nodeOf('busy'), 5_000)
      const fence = await one.events.claim(id, 'busy', 5_000)
      await one.events.append(append(id, 1, { fence: fence! }))
      expect(await one.events.renew('busy', [id], 5_000)).toEqual([])
      expect(performance.now() - began).toBeLessThan(1_000)
      void Promise.all(searches)
    })
  })

  it('of one user leave room for those of others', async () => {
    const id = newSession()
    await one.events.append(append(id, 0, { create: { userId: GRACE } }))
    await whileSearchesWait(async () => {
      const searches = Array.from({ length: 30 }, () =>
        one.events.findSessions({ userId: ADA, text: 'coffee', offset: 0, limit: 10 }).catch(() => undefined),
      )
      await expect.poll(countLocked).toBeGreaterThan(0)
      const began = performance.now()
      expect(await one.events.readEvents(id, 0, 10)).toHaveLength(1)
      expect(performance.now() - began).toBeLessThan(1_000)
      void Promise.all(searches)
    })
  })

  async function countLocked(): Promise<number> {
    const [row] = await database.query(
      "SELECT count(*) AS count FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
    )
    return Number(row?.['count'])
  }
})

describe('a deletion that takes long', () => {
  const eventsOf = async (id: SessionId) =>
    (await database.query('SELECT seq FROM polylogue.events WHERE session_id = $1', [id])).length

  it('holds up no other append of its user, and leaves nothing', async () => {
    const [long, next] = [newSession(), newSession()]
    for (const id of [long, next]) await one.events.append(append(id, 0))
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    await client.query('BEGIN')
    await client.query('SELECT FROM polylogue.events WHERE session_id = $1 FOR UPDATE', [long])
    const deleted = one.events.deleteSession(long)
    await expect.poll(() => other.events.readHead(long)).toBeUndefined()
    const began = performance.now()
    expect(await other.events.append(append(next, 1))).toMatchObject({ type: 'appended' })
    expect(performance.now() - began).toBeLessThan(1_000)
    expect(await other.events.append(append(long, 1))).toEqual({ type: 'conflict', reason: 'session-gone' })
    expect(await other.events.readEvents(long, 0, 10)).toEqual([])
    await client.end()
    expect(await deleted).toBe(true)
    expect(await eventsOf(long)).toBe(0)
  })

  it('and whose process died is completed by the next one', async () => {
    const [left, next] = [newSession(), newSession()]
    for (const id of [left, next]) await one.events.append(append(id, 0))
    await database.query('SELECT polylogue.delete_session($1)', [left])
    expect(await eventsOf(left)).toBe(1)
    expect(await other.events.deleteSession(left)).toBe(false)
    expect(await eventsOf(left)).toBe(0)
    await database.query('SELECT polylogue.delete_session($1)', [next])
    await other.events.deleteSession(newSession())
    expect(await eventsOf(next)).toBe(0)
    const last = newSession()
    await one.events.append(append(last, 0))
    await database.query('SELECT polylogue.delete_session($1)', [last])
    const started = await openPostgresStores({ url: database.url, clock })
    await expect.poll(() => eventsOf(last)).toBe(0)
    await started.close()
  })
})

describe('row-level security', () => {
  it('cluster 15: a statement without a condition sees the rows of its user only', async () => {
    for (const userId of [ADA, GRACE]) await fill(one, userId)
    const client = new pg.Client({ connectionString: database.url, options: '-c role=polylogue_plain' })
    await client.connect()
    const tables = await database.query(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'polylogue'::regnamespace AND relrowsecurity`,
    )
    expect(tables.length).toBe(19)
    const users = async (name: unknown): Promise<unknown[]> =>
      (await client.query(`SELECT DISTINCT user_id FROM polylogue.${String(name)}`)).rows.map(
        ({ user_id: user }) => user,
      )
    for (const { name } of tables) expect({ name, users: await users(name) }).toEqual({ name, users: [] })
    await client.query("SELECT set_config('polylogue.user', 'grace', false)")
    const seen = new Set<unknown>()
    for (const { name } of tables) for (const user of await users(name)) seen.add(user)
    expect([...seen]).toEqual(['grace'])
    await expect(
      client.query("INSERT INTO polylogue.names (user_id, session_id, name) VALUES ('ada', 's', 'n')"),
    ).rejects.toThrow('row-level security')
    const countOf = async (name: unknown): Promise<unknown> => {
      const [row] = await database.query(`SELECT count(*) AS n FROM polylogue.${String(name)} WHERE user_id = 'ada'`)
      return row?.['n']
    }
    await client.query("UPDATE polylogue.sessions SET summary = 'stolen'")
    const stolen = await database.query("SELECT DISTINCT user_id FROM polylogue.sessions WHERE summary = 'stolen'")
    expect(stolen).toEqual([{ user_id: 'grace' }])
    for (const { name } of tables) {
      const before = await countOf(name)
      await client.query(`DELETE FROM polylogue.${String(name)}`)
      expect({ name, left: await countOf(name), own: await users(name) }).toEqual({ name, left: before, own: [] })
    }
    await client.end()
  })

  async function fill(stores: Stores, userId: UserId): Promise<void> {
    const id = newSession()
    await stores.events.append({
      ...append(id, 0),
      create: { userId },
      names: ['n'],
      snapshot: '{}',
      listing: { isPinned: false, isStarted: true },
      secrets: [{ name: 's', sealed: Uint8Array.of(1) }],
      blobs: [{ hash: 'h', mediaType: 'image/png', bytes: Uint8Array.of(1) }],
    })
    await stores.memories.addMemory(userId, { type: 'feedback', content: 'tea' })
    await stores.marks.keep(id, { door: 'one', format: 1 }, [{ seq: 1, content: '{}' }])
    await stores.rules.addRule(userId, { ruleId: `rule_${id}`, rule: { tool: '*', action: 'ask' }, createdAt: 1 })
  }
})
