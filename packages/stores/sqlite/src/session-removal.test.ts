import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { asSessionId, asTurnId, asUserId } from '@polylogue/engine'
import { createFakeClock } from '@polylogue/testkit'
import { type GroupCommit, createGroupCommit } from './group-commit.ts'
import { migrate } from './migrate.ts'
import { openDatabase } from './open-database.ts'
import { createSessionRemoval } from './session-removal.ts'
import { createSqliteEventStore } from './sqlite-event-store.ts'

const clock = createFakeClock()
const LONG = asSessionId('long')
const SHORT = asSessionId('short')
let directory: string
let file: string
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'polylogue-removal-'))
  file = join(directory, 'polylogue.db')
  const { db, commits } = await open()
  const store = createSqliteEventStore({ db, clock, commits })
  const event = { type: 'turn.paused', turnId: asTurnId('turn_1') } as const
  for (const [sessionId, length] of [
    [LONG, 3_500],
    [SHORT, 3],
  ] as const) {
    const events = Array<typeof event>(length).fill(event)
    const blobs = events
      .slice(0, 10)
      .map((_, index) => ({ hash: `h${index}`, mediaType: 'image/png', bytes: Uint8Array.of(index) }))
    const create = { userId: asUserId('ada') }
    const request = { sessionId, expectedSeq: 0, create, at: 1, events, wanted: false, names: ['n'], blobs }
    await store.append(request)
  }
  await store.close()
})
afterEach(() => rmSync(directory, { recursive: true }))

async function open(): Promise<{ db: DatabaseSync; commits: GroupCommit }> {
  const db = openDatabase(file)
  await migrate(db, { clock, busyWaitMs: 0 })
  return { db, commits: createGroupCommit({ db, clock, busyWaitMs: 0 }) }
}

const rowsLeft = (): unknown => {
  const db = new DatabaseSync(file, { readOnly: true })
  const row = db
    .prepare(
      `SELECT (SELECT count(*) FROM events WHERE session_id = 'long') AS events,
              (SELECT count(*) FROM blobs WHERE session_id = 'long') AS blobs,
              (SELECT count(*) FROM names WHERE session_id = 'long') AS names,
              (SELECT is_purged FROM deleted_sessions WHERE session_id = 'long') AS is_purged`,
    )
    .get()
  db.close()
  return { ...row }
}

const PARTS = { index: { has: () => false, forget: async () => {} }, removed: () => {} }

describe('the removal of a long session', () => {
  it('goes in small commits, is hidden meanwhile, and leaves no row', async () => {
    const { db, commits } = await open()
    const removal = createSessionRemoval({ db, commits, ...PARTS })
    expect(await removal.remove(LONG)).toBe(true)
    expect(rowsLeft()).toEqual({ events: 2_500, blobs: 6, names: 0, is_purged: 0 })
    expect(removal.isHidden(LONG)).toBe(true)
    await removal.purged()
    expect(rowsLeft()).toEqual({ events: 0, blobs: 0, names: 0, is_purged: 1 })
    expect(removal.isHidden(LONG)).toBe(false)
    await commits.close()
  })

  it('continues when the file is opened again', async () => {
    const first = await open()
    await createSessionRemoval({ ...first, ...PARTS }).remove(LONG)
    await first.commits.close()
    expect(rowsLeft()).toMatchObject({ is_purged: 0 })

    const second = await open()
    const removal = createSessionRemoval({ ...second, ...PARTS })
    expect(removal.isHidden(LONG)).toBe(true)
    await removal.purged()
    expect(rowsLeft()).toEqual({ events: 0, blobs: 0, names: 0, is_purged: 1 })
    await second.commits.close()
  })

  it('does not delay a short one, which goes in one commit', async () => {
    const { db, commits } = await open()
    const removal = createSessionRemoval({ db, commits, ...PARTS })
    await Promise.all([removal.remove(LONG), removal.remove(SHORT)])
    expect(removal.isHidden(SHORT)).toBe(false)
    expect(db.prepare("SELECT count(*) AS n FROM events WHERE session_id = 'short'").get()).toEqual({ n: 0 })
    await removal.purged()
    await commits.close()
  })

  it('that could not be committed hides nothing', async () => {
    const { db, commits } = await open()
    const removal = createSessionRemoval({ db, commits, ...PARTS })
    db.exec('PRAGMA query_only = ON')
    await expect(removal.remove(LONG)).rejects.toMatchObject({ kind: 'broken' })
    expect(removal.isHidden(LONG)).toBe(false)
    db.exec('PRAGMA query_only = OFF')
    expect(rowsLeft()).toEqual({ events: 3_500, blobs: 10, names: 1, is_purged: null })
    await commits.close()
  })
})
