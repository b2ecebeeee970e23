import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  ROOT_LOOP,
  asEntryId,
  asSessionId,
  asTurnId,
  asUserId,
  type AppendRequest,
  type EventStore,
  type UsageRow,
} from '@polylogue/engine'
import { createFakeClock, untilQuiet } from '@polylogue/testkit'
import { createGroupCommit, type GroupCommit } from './group-commit.ts'
import { migrate } from './migrate.ts'
import { openDatabase } from './open-database.ts'
import { createSqliteEventStore } from './sqlite-event-store.ts'

const ADA = asUserId('ada')
const [ONE, TWO] = [asSessionId('one'), asSessionId('two')]
let clock = createFakeClock()
let directory: string
let file: string
let commits: GroupCommit
let store: EventStore
beforeEach(async () => {
  clock = createFakeClock()
  directory = mkdtempSync(join(tmpdir(), 'polylogue-followed-'))
  file = join(directory, 'polylogue.db')
  const db = openDatabase(file)
  await migrate(db, { clock, busyWaitMs: 0 })
  commits = createGroupCommit({ db, clock, busyWaitMs: 0 })
  store = createSqliteEventStore({ db, clock, commits })
})
afterEach(async () => {
  await store.close()
  rmSync(directory, { recursive: true })
})

const append = (
  sessionId: AppendRequest['sessionId'],
  expectedSeq: number,
  more: Partial<AppendRequest> = {},
): AppendRequest => ({
  sessionId,
  expectedSeq,
  ...(expectedSeq === 0 && { create: { userId: ADA } }),
  at: clock.now(),
  events: [{ type: 'turn.paused', turnId: asTurnId('turn_1') }],
  wanted: false,
  summary: sessionId,
  listing: { title: 'A title', isPinned: false, isStarted: true, changedAt: clock.now() },
  ...more,
})

/** Uses a separate connection. */
const onDisk = (sql: string): unknown[] => {
  const db = new DatabaseSync(file)
  try {
    return db
      .prepare(sql)
      .all()
      .map((row) => Object.values(row))
  } finally {
    db.close()
  }
}

const fails = (): never => {
  throw new TypeError('a bug')
}

describe("the store's memory of a session", () => {
  it('is read again after another connection has changed it', async () => {
    await store.append(append(ONE, 0))
    onDisk("UPDATE sessions SET last_seq = 7 WHERE session_id = 'one'")
    expect(await store.append(append(ONE, 1))).toEqual({ type: 'conflict', reason: 'seq-moved' })
    expect(await store.append(append(ONE, 7))).toEqual({ type: 'appended', lastSeq: 8 })
  })

  it('follows every change of its lease', async () => {
    const claim = { owner: 'a', leaseMs: 1_000 }
    await store.append(append(ONE, 0))
    const claimed = await store.append(append(ONE, 1, { claim, wanted: true }))
    expect(claimed).toEqual({ type: 'appended', lastSeq: 2, fence: { owner: 'a', epoch: 1 } })
    expect(await store.append(append(ONE, 2, { claim: { ...claim, owner: 'b' } }))).toMatchObject({
      reason: 'lease-held',
    })
    await store.renew('a', [ONE], 5_000)
    clock.advance(2_000)
    expect(await store.append(append(ONE, 2, { claim: { ...claim, owner: 'b' } }))).toMatchObject({
      reason: 'lease-held',
    })
    await store.release(ONE, { owner: 'a', epoch: 1 })
    expect(await store.append(append(ONE, 2, { fence: { owner: 'a', epoch: 1 } }))).toMatchObject({ reason: 'fenced' })
    expect(await store.claim(ONE, 'b', 1_000)).toEqual({ owner: 'b', epoch: 2 })
    await store.dropLeases()
    expect(await store.append(append(ONE, 2, { fence: { owner: 'b', epoch: 2 } }))).toMatchObject({ reason: 'fenced' })
  })

  it('is forgotten when the commit fails', async () => {
    await store.append(append(ONE, 0))
    const failed = await Promise.allSettled([store.append(append(ONE, 1)), commits.write('other', fails)])
    expect(failed.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(await store.append(append(ONE, 2))).toEqual({ type: 'appended', lastSeq: 3 })
  })

  it('ends with its deletion', async () => {
    await store.append(append(ONE, 0))
    await store.deleteSession(ONE)
    expect(await store.append(append(ONE, 1))).toEqual({ type: 'conflict', reason: 'session-gone' })
  })
})

describe('sums over the appends of one commit', () => {
  const usage = (callId: string): readonly UsageRow[] => [
    {
      callId: asEntryId(callId),
      kind: 'step',
      userId: ADA,
      loops: [ROOT_LOOP],
      agent: 'a',
      model: 'm',
      usage: { inputTokens: 3, outputTokens: 2 },
    },
  ]

  it('hold each of them once, also when another write of the commit fails', async () => {
    const before = await Promise.all([
      store.append(append(ONE, 0, { usage: usage('c1') })),
      store.append(append(TWO, 0, { usage: usage('c2') })),
    ])
    const each = (await store.storedBytes(ADA)) / 2
    await Promise.allSettled([
      store.append(append(ONE, 1, { usage: usage('c3') })),
      commits.write('other', fails),
      store.append(append(TWO, 1, { usage: usage('c4') })),
    ])
    expect(before.map(({ type }) => type)).toEqual(['appended', 'appended'])
    expect(await store.storedBytes(ADA)).toBe(4 * each)
    expect(onDisk('SELECT calls, input_tokens, output_tokens FROM usage_days')).toEqual([[4, 12, 8]])
  })

  it('let a deletion in the same commit give back what an append of it has added', async () => {
    const all = [store.append(append(ONE, 0)), store.deleteSession(ONE), store.append(append(TWO, 0))]
    await Promise.all(all)
    const [row] = onDisk("SELECT stored_bytes FROM sessions WHERE session_id = 'two'") as number[][]
    expect(await store.storedBytes(ADA)).toBe(row?.[0])
  })

  it('count for the room of the appends after them', async () => {
    await store.append(append(ONE, 0))
    const size = await store.storedBytes(ADA)
    const room = { session: 10 * size, user: 2 * size }
    const results = await Promise.all([store.append(append(ONE, 1, { room })), store.append(append(TWO, 0, { room }))])
    expect(results).toEqual([
      { type: 'appended', lastSeq: 2 },
      { type: 'conflict', reason: 'user-full' },
    ])
  })
})

describe('the order of a list', () => {
  const order = async (): Promise<readonly string[]> => {
    const { rows } = await store.findSessions({ userId: ADA, offset: 0, limit: 10 })
    return rows.map(({ sessionId }) => sessionId)
  }
  const times = (): unknown[] => onDisk('SELECT session_id, listed_at FROM listings ORDER BY session_id')

  it('is exact, although a new time is written later', async () => {
    await store.append(append(ONE, 0))
    const [[, written]] = times() as [[string, number]]
    clock.advance(10)
    await store.append(append(TWO, 0))
    clock.advance(10)
    await store.append(append(ONE, 1))
    expect(times()).toContainEqual(['one', written])
    expect(await order()).toEqual(['one', 'two'])
    expect(times()).toContainEqual(['one', written + 20])
  })

  it('is on disk a second later, without anybody reading', async () => {
    await store.append(append(ONE, 0))
    clock.advance(10)
    const { at } = append(ONE, 1)
    await store.append(append(ONE, 1))
    clock.advance(1_000)
    await untilQuiet()
    expect(times()).toEqual([['one', at]])
  })

  it('goes with a changed row at once, and an older time does not come after it', async () => {
    await store.append(append(ONE, 0))
    clock.advance(10)
    await store.append(append(ONE, 1))
    clock.advance(10)
    const listing = { title: 'Another', isPinned: true, isStarted: true, changedAt: clock.now() }
    await store.append(append(ONE, 2, { listing }))
    expect(times()).toEqual([['one', clock.now()]])
    const changedAt = clock.now()
    clock.advance(2_000)
    await untilQuiet()
    expect(times()).toEqual([['one', changedAt]])
  })

  it('is written when the store is closed', async () => {
    await store.append(append(ONE, 0))
    clock.advance(10)
    const { at } = append(ONE, 1)
    await store.append(append(ONE, 1))
    await store.close()
    expect(times()).toEqual([['one', at]])
  })
})

describe('drafts', () => {
  const draft = { stepId: asEntryId('entry_1'), block: 0, kind: 'text', text: 'so far' } as const

  it('are removed by the append that clears them, before and after the store knows that there are none', async () => {
    await store.append(append(ONE, 0))
    const fence = await store.claim(ONE, 'a', 1_000)
    if (fence === undefined) throw new Error('the session is free')
    for (const seq of [1, 2, 3]) {
      if (seq !== 2) await store.saveDrafts(ONE, fence, [draft])
      await store.append(append(ONE, seq, { clearDrafts: [draft.stepId] }))
      expect(await store.readDrafts(ONE)).toEqual([])
    }
  })
})
