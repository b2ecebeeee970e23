import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { asEntryId, asSessionId, asTurnId, asUserId, type Clock, type SessionId, type Stores } from '@polylogue/engine'
import { createFakeClock, untilQuiet } from '@polylogue/testkit'
import { openSqliteStores } from './open-sqlite-stores.ts'

const userId = asUserId('ada')
const clock = createFakeClock()
let directory: string
let file: string
let stores: Stores
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'polylogue-search-'))
  file = join(directory, 'polylogue.db')
  stores = await openSqliteStores({ file, clock })
})
afterEach(async () => {
  await stores.close()
  rmSync(directory, { recursive: true })
})

const reopen = async (change = '', otherClock: Clock = clock): Promise<void> => {
  await stores.close()
  if (change !== '') {
    // SQLite protects the tables of an index from us.
    const db = new DatabaseSync(file, { defensive: false })
    db.exec(change)
    db.close()
  }
  stores = await openSqliteStores({ file, clock: otherClock })
}

async function say(id: string, text: string, seq = 0): Promise<SessionId> {
  const sessionId = asSessionId(id)
  const turnId = asTurnId('turn_1')
  await stores.events.append({
    sessionId,
    expectedSeq: seq,
    ...(seq === 0 && { create: { userId } }),
    at: 1,
    events: [{ type: 'input.admitted', inputId: asEntryId('entry_1'), turnId, content: text }],
    wanted: false,
    summary: id,
    listing: { title: `About ${id}`, isPinned: false, isStarted: true },
  })
  return sessionId
}

const search = async (text: string) => {
  const { rows, isPartial = false } = await stores.events.findSessions({ userId, text, offset: 0, limit: 10 })
  return { found: rows.map(({ summary }) => summary), isPartial }
}

/** Uses a separate connection. */
const count = (sql: string): unknown => {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    return db.prepare(sql).get()?.['count']
  } finally {
    db.close()
  }
}
const behind = `SELECT count(*) AS count FROM sessions LEFT JOIN search_marks USING (session_id)
                WHERE coalesce(indexed_seq, 0) < last_seq`

/** Lets time pass until the index is complete, for a bounded time. */
const letWork = async (): Promise<void> => {
  for (let round = 0; round < 1_000 && count(behind) !== 0; round++) {
    clock.advance(1_000)
    await untilQuiet()
  }
}

describe('the search index', () => {
  it('is filled behind the log, without anybody searching', async () => {
    for (let number = 0; number < 100; number++) await say(`s${number}`, `word${number}end`)
    expect(count(behind)).toBe(100)
    await letWork()
    expect(count(behind)).toBe(0)
    expect(await search('word77end')).toEqual({ found: ['s77'], isPartial: false })
  })

  it('is completed after a restart, whatever was missing', async () => {
    for (let number = 0; number < 300; number++) await say(`s${number}`, `word${number}end`)
    await letWork()
    await say('s5', 'later words', 1)
    await reopen(
      'UPDATE search_marks SET indexed_seq = 0 WHERE number % 7 = 0; DELETE FROM search_marks WHERE number = 9',
    )
    expect(count(behind)).toBeGreaterThan(40)
    await letWork()
    expect(count(behind)).toBe(0)
    expect(await search('later words')).toEqual({ found: ['s5'], isPartial: false })
    for (const number of [0, 6, 8, 299]) expect((await search(`word${number}end`)).found).toEqual([`s${number}`])
  })

  it('says that a search is partial while it is being filled', async () => {
    for (let number = 0; number < 500; number++) await say(`s${String(number).padStart(3, '0')}`, 'tusk')
    const hurried: Clock = { ...clock, now: () => (clock.advance(100), clock.now()) }
    await reopen('DELETE FROM search_marks', hurried)
    expect((await search('tusk')).isPartial).toBe(true)
    await reopen()
    await letWork()
    expect((await search('tusk')).isPartial).toBe(false)
  })

  it('loses the rows of a deleted session', async () => {
    await say('kept', 'tusk')
    const sessionId = await say('gone', 'tusk')
    for (let seq = 1; seq < 500; seq++) {
      await say('gone', `tusk ${seq}`, seq)
      if (seq % 100 === 0) await search('tusk')
    }
    await search('tusk')
    const rows = 'SELECT count(*) AS count FROM search_words_docsize'
    expect(Number(count(rows))).toBeGreaterThan(6)
    await stores.events.deleteSession(sessionId)
    await untilQuiet()
    expect(count(rows)).toBe(2)
    expect(count('SELECT count(*) AS count FROM search_marks')).toBe(1)
    expect((await search('tusk')).found).toEqual(['kept'])
  })

  it('is rebuilt when it is damaged, and nothing else fails', async () => {
    for (let number = 0; number < 20; number++) await say(`s${number}`, `word${number}end`)
    await letWork()
    await reopen("UPDATE search_words_data SET block = x'00ff00ff00ff' WHERE id > 1")
    await say('s3', 'more', 1)
    const first = await search('word7end')
    expect(first.isPartial || first.found.length === 1).toBe(true)
    await letWork()
    await say('s4', 'and more', 1)
    expect(await search('word7end')).toEqual({ found: ['s7'], isPartial: false })
    expect(await search('more')).toMatchObject({ found: ['s4', 's3'] })
  })

  it('skips a session whose events are damaged', async () => {
    await say('good', 'tusk')
    await say('bad', 'tusk')
    await reopen("DELETE FROM search_marks; UPDATE events SET data = '{' WHERE session_id = 'bad'")
    expect(await search('tusk')).toEqual({ found: ['good'], isPartial: false })
  })

  it('keeps an open store from nothing when the disk does not take it', async () => {
    await say('s1', 'tusk')
    const holder = new DatabaseSync(file)
    holder.exec('BEGIN IMMEDIATE')
    expect((await search('tusk')).isPartial).toBe(true)
    holder.exec('ROLLBACK')
    holder.close()
    expect(await search('tusk')).toEqual({ found: ['s1'], isPartial: false })
  })
})

describe('a session in use', () => {
  const indexed = `SELECT count(*) AS count FROM search_marks WHERE indexed_seq > 0`

  it('is indexed when it rests for a second', async () => {
    await say('busy', 'first')
    for (let seq = 1; seq < 8; seq++) {
      clock.advance(900)
      await untilQuiet()
      await say('busy', 'more', seq)
    }
    expect(count(indexed)).toBe(0)
    await letWork()
    expect(count(behind)).toBe(0)
  })

  it('is indexed after ten seconds if it does not rest, and a search does not wait for that', async () => {
    await say('busy', 'first')
    expect(await search('first')).toEqual({ found: ['busy'], isPartial: false })
    for (let seq = 1; seq < 30; seq++) {
      clock.advance(900)
      await untilQuiet()
      await say('busy', `word${seq}end`, seq)
    }
    expect(count('SELECT count(*) AS count FROM search_marks WHERE indexed_seq > 10')).toBe(1)
  })
})
