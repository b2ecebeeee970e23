import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { observeFailpoints } from '@polylogue/engine'
import { createFakeClock } from '@polylogue/testkit'
import { type GroupCommit, createGroupCommit } from './group-commit.ts'
import { openDatabase } from './open-database.ts'
import { runProgram } from './test-programs/run-program.ts'

let directory: string
let file: string
let db: DatabaseSync
let commits: GroupCommit
const clock = createFakeClock()

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'polylogue-commit-'))
  file = join(directory, 'polylogue.db')
  db = openDatabase(file)
  db.exec('CREATE TABLE notes (text TEXT NOT NULL UNIQUE) STRICT')
  commits = createGroupCommit({ db, clock, busyWaitMs: 1_000 })
})
afterEach(async () => {
  observeFailpoints(undefined)
  await commits.close()
  rmSync(directory, { recursive: true })
})

const note = (text: string) => (): string => {
  db.prepare('INSERT INTO notes VALUES (?)').run(text)
  return text
}

/** Reads through a separate connection, which sees only committed data. */
const notesOnDisk = (): unknown[] => {
  const reader = new DatabaseSync(file, { readOnly: true })
  const rows = reader.prepare('SELECT text FROM notes ORDER BY rowid').all()
  reader.close()
  return rows.map((row) => row['text'])
}

/** Lets the event loop turn, so that queued writes are tried. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('the writes of one loop tick', () => {
  it('are committed together and settle after the commit', async () => {
    const seen: unknown[] = []
    observeFailpoints((name) => void seen.push([name, notesOnDisk().length]))
    const texts = Array.from({ length: 50 }, (_, index) => `note ${index}`)
    const writing = Promise.all(texts.map((text) => commits.write('append', note(text))))
    expect(notesOnDisk()).toEqual([])
    expect(await writing).toEqual(texts)
    expect(notesOnDisk()).toEqual(texts)
    expect(seen).toEqual([
      ['append.before-commit', 0],
      ['append.after-commit', 50],
    ])
  })

  it('pass the failpoints of their kinds', async () => {
    const seen: string[] = []
    observeFailpoints((name) => void seen.push(name))
    await commits.write('claim', note('a'))
    await commits.write('drafts', note('b'))
    await commits.write('other', note('c'))
    expect(seen).toEqual(['claim.after-commit', 'drafts.after-commit'])
  })

  it('do not hurt each other when one of them cannot be done', async () => {
    const outcomes = await Promise.allSettled([
      commits.write('append', note('a')),
      commits.write('append', () => {
        note('half done')()
        return note('a')()
      }),
      commits.write('append', () => {
        throw new TypeError('a bug')
      }),
      commits.write('append', note('b')),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
    expect(outcomes[1]).toMatchObject({ reason: { message: 'UNIQUE constraint failed: notes.text' } })
    expect(outcomes[2]).toMatchObject({ reason: { message: 'a bug' } })
    expect(notesOnDisk()).toEqual(['a', 'b'])
  })

  it('are all rejected when the commit fails, and none is stored', async () => {
    observeFailpoints((name) => {
      if (name === 'append.before-commit') throw new Error('no commit today')
    })
    const outcomes = await Promise.allSettled([commits.write('append', note('a')), commits.write('append', note('b'))])
    expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason)).toEqual([
      expect.objectContaining({ name: 'StorageFault', kind: 'broken' }),
      expect.objectContaining({ name: 'StorageFault', kind: 'broken' }),
    ])
    observeFailpoints(undefined)
    expect(await commits.write('append', note('c'))).toBe('c')
    expect(notesOnDisk()).toEqual(['c'])
  })

  it('include what is not worth its own commit, once', async () => {
    let waiting: string | undefined = 'passenger'
    let landings = 0
    commits.takeAlong(() => {
      const text = waiting
      if (text === undefined) return undefined
      return {
        run: () => void note(text)(),
        landed() {
          waiting = undefined
          landings += 1
        },
      }
    })
    await commits.write('other', note('a'))
    await commits.write('other', note('b'))
    expect(notesOnDisk()).toEqual(['a', 'passenger', 'b'])
    expect(landings).toBe(1)
  })
})

describe('a full file', () => {
  it('rejects as full, is still read, and takes writes again when there is room', async () => {
    await commits.write('append', note('before'))
    db.exec('PRAGMA max_page_count = 4')
    const large = 'x'.repeat(64 * 1024)
    await expect(commits.write('append', note(large))).rejects.toMatchObject({ kind: 'full' })
    expect(await commits.read(() => db.prepare('SELECT text FROM notes').get()?.['text'])).toBe('before')
    await expect(commits.write('append', note(large))).rejects.toMatchObject({ kind: 'full' })
    db.exec('PRAGMA max_page_count = 1000')
    expect(await commits.write('append', note(large))).toBe(large)
    expect(notesOnDisk()).toEqual(['before', large])
  })
})

describe('while another process holds the write lock', () => {
  it('writes wait, reads do not, and all is written after the release', async () => {
    await commits.write('append', note('before'))
    const holder = runProgram('hold-write-lock', [file])
    expect(await holder.nextLine()).toBe('held')
    const writing = Promise.all([commits.write('append', note('a')), commits.write('append', note('b'))])
    await nextTurn()
    clock.advance(500)
    expect(clock.pendingTimers()).toBe(1)
    expect(await commits.read(() => db.prepare('SELECT count(*) AS n FROM notes').get()?.['n'])).toBe(1)
    const late = commits.write('append', note('late'))

    holder.finish()
    expect(await holder.nextLine()).toBe('released')
    clock.advance(50)
    expect(await writing).toEqual(['a', 'b'])
    expect(await late).toBe('late')
    expect(notesOnDisk()).toEqual(['before', 'a', 'b', 'late'])
    await holder.remainingLines()
  })

  it('a write is refused as busy after its time, and the next one succeeds when the lock is free', async () => {
    const holder = runProgram('hold-write-lock', [file])
    expect(await holder.nextLine()).toBe('held')
    const first = commits.write('append', note('first')).catch((error: unknown) => error)
    await nextTurn()
    clock.advance(900)
    const second = commits.write('append', note('second'))
    clock.advance(200)
    expect(await first).toMatchObject({ name: 'StorageFault', kind: 'busy' })
    expect(clock.pendingTimers()).toBe(1)

    holder.finish()
    await holder.remainingLines()
    clock.advance(50)
    expect(await second).toBe('second')
    expect(notesOnDisk()).toEqual(['second'])
  })

  it('the queue is bounded', async () => {
    const holder = runProgram('hold-write-lock', [file])
    expect(await holder.nextLine()).toBe('held')
    const waiting = Array.from({ length: 65_536 }, () => commits.write('append', () => {}))
    const settled = Promise.allSettled(waiting)
    await expect(commits.write('append', note('one too many'))).rejects.toMatchObject({ kind: 'busy' })
    await nextTurn()
    holder.finish()
    await holder.remainingLines()
    clock.advance(50)
    expect((await settled).every(({ status }) => status === 'fulfilled')).toBe(true)
  })
})

describe('closing', () => {
  it('commits queued appends, refuses later ones, and may be repeated', async () => {
    const writing = commits.write('append', note('last'))
    const closing = commits.close()
    await expect(commits.write('append', note('late'))).rejects.toMatchObject({ kind: 'broken' })
    expect(await writing).toBe('last')
    await closing
    await commits.close()
    expect(db.isOpen).toBe(false)
    await expect(commits.read(() => 1)).rejects.toMatchObject({ kind: 'broken' })
    expect(notesOnDisk()).toEqual(['last'])
  })

  it('gives up on a lock that is never free, and fails the writers', async () => {
    const holder = runProgram('hold-write-lock', [file])
    expect(await holder.nextLine()).toBe('held')
    const writing = commits.write('append', note('never')).catch((error: unknown) => error)
    const closing = commits.close()
    await nextTurn()
    clock.advance(2_000)
    expect(await writing).toMatchObject({ kind: 'busy' })
    await closing
    expect(db.isOpen).toBe(false)
    holder.finish()
    await holder.remainingLines()
  })
})
