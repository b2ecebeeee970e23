import {
  chmodSync,
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { asSessionId } from '@polylogue/engine'
import { createFakeClock } from '@polylogue/testkit'
import { APPLICATION_ID } from './make-database.ts'
import { MIGRATIONS } from './migrate.ts'
import { openDatabase, refuseForgetfulSettings, refuseOldSqlite } from './open-database.ts'
import { openSqliteStores } from './open-sqlite-stores.ts'
import { runProgram } from './test-programs/run-program.ts'
import { sampleAppend } from './test-programs/sample-append.ts'

const clock = createFakeClock()
let directory: string
let file: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'polylogue-open-'))
  file = join(directory, 'polylogue.db')
})
afterEach(() => rmSync(directory, { recursive: true }))

/** Creates or changes the file without the store. */
const alter = (sql: string): void => {
  const db = new DatabaseSync(file)
  db.exec(sql)
  db.close()
}

describe('SQLite itself', () => {
  it.each(['3.51.2', '3.50.4', '3.9.9', '2.99.99', 'none', ''])('is refused in version "%s"', (version) => {
    expect(() => refuseOldSqlite(version)).toThrow(`SQLite ${version} can lose data. Use Node 24 with SQLite 3.51.3`)
  })

  it.each(['3.51.3', '3.51.10', '3.53.4', '3.100.0', '4.0.0', '4.0', process.versions['sqlite'] ?? ''])(
    'is accepted in version %s',
    (version) => {
      expect(() => refuseOldSqlite(version)).not.toThrow()
    },
  )

  it('is refused without a write-ahead log', () => {
    const db = new DatabaseSync(':memory:')
    expect(() => refuseForgetfulSettings(db)).toThrow("SQLite's journal mode is memory, not wal")
    db.close()
  })

  it('is refused when commits would not wait for the disk', () => {
    const db = openDatabase(file)
    expect(() => refuseForgetfulSettings(db)).not.toThrow()
    db.exec('PRAGMA synchronous = NORMAL')
    expect(() => refuseForgetfulSettings(db)).toThrow("SQLite's synchronous level is 1, not 2")
    db.close()
  })

  it('never blocks the event loop to wait for a lock', () => {
    const db = openDatabase(file)
    expect(db.prepare('PRAGMA busy_timeout').get()).toEqual({ timeout: 0 })
    db.close()
  })
})

describe('a file', () => {
  it('is made readable by its owner alone, with its side files', async () => {
    const { events, close } = await openSqliteStores({ file, clock })
    await events.append(sampleAppend(asSessionId('s'), 0))
    for (const path of [file, `${file}-wal`, `${file}-shm`]) expect(statSync(path).mode & 0o777).toBe(0o600)
    await close()
  })

  it('that others could read is closed to them', async () => {
    await (await openSqliteStores({ file, clock })).close()
    chmodSync(file, 0o644)
    await (await openSqliteStores({ file, clock })).close()
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('carries our mark and the version of its schema', async () => {
    await (await openSqliteStores({ file, clock })).close()
    const db = new DatabaseSync(file)
    expect(db.prepare('PRAGMA application_id').get()).toEqual({ application_id: APPLICATION_ID })
    expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: MIGRATIONS.length })
    db.close()
  })

  it('of a newer Polylogue is refused and not changed', async () => {
    await (await openSqliteStores({ file, clock })).close()
    alter('PRAGMA user_version = 99')
    await expect(openSqliteStores({ file, clock })).rejects.toThrow(
      `${file} was written by a newer Polylogue (schema 99, this one knows ${MIGRATIONS.length}): run that one.`,
    )
    const db = new DatabaseSync(file)
    expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 99 })
    db.close()
  })

  it('of another program is refused and not changed', async () => {
    alter('CREATE TABLE recipes (name TEXT)')
    await expect(openSqliteStores({ file, clock })).rejects.toThrow(`${file} is not a Polylogue database`)
    const db = new DatabaseSync(file)
    expect(db.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'delete' })
    db.close()
    alter('DROP TABLE recipes')
    await expect(openSqliteStores({ file, clock })).rejects.toThrow(`${file} is not a Polylogue database`)
    alter('PRAGMA application_id = 7')
    await expect(openSqliteStores({ file, clock })).rejects.toThrow(`${file} is not a Polylogue database`)
  })

  it('that is empty has lost its content, and is refused and not changed', async () => {
    writeFileSync(file, '')
    await expect(openSqliteStores({ file, clock })).rejects.toThrow(`${file} is empty: it has lost its content.`)
    expect(statSync(file).size).toBe(0)
  })

  it('appears whole, and what an earlier attempt left behind does not matter', async () => {
    for (const suffix of ['', '-wal', '-shm', '-journal']) writeFileSync(`${file}.new${suffix}`, 'half')
    await (await openSqliteStores({ file, clock })).close()
    expect(readdirSync(directory)).toEqual(['polylogue.db'])
  })

  it('that is not a database is refused and not changed', async () => {
    writeFileSync(file, 'Dear diary, '.repeat(1_000))
    await expect(openSqliteStores({ file, clock })).rejects.toThrow(`${file} is not a Polylogue database`)
    expect(statSync(file).size).toBe(12_000)
  })

  it('in a directory that is not there is refused', async () => {
    const missing = join(directory, 'missing', 'polylogue.db')
    await expect(openSqliteStores({ file: missing, clock })).rejects.toThrow(`${missing} cannot be created`)
  })

  it('whose pages are damaged is never read as if it were empty', async () => {
    const { events, close } = await openSqliteStores({ file, clock })
    for (let seq = 0; seq < 50; seq++) await events.append(sampleAppend(asSessionId('s'), seq, 1_000))
    await close()
    const size = statSync(file).size
    const db = new DatabaseSync(file)
    const root = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'events'").get()?.['rootpage']
    db.close()
    overwrite(file, (Number(root) - 1) * 4_096, 4_096)
    expect(statSync(file).size).toBe(size)

    const damaged = await openSqliteStores({ file, clock })
    await expect(damaged.events.readEvents(asSessionId('s'), 0, 100)).rejects.toMatchObject({ kind: 'broken' })
    await expect(damaged.events.append(sampleAppend(asSessionId('s'), 50))).rejects.toMatchObject({ kind: 'broken' })
    await damaged.close()
  })

  it('that another process is writing to is opened as soon as it is released', async () => {
    alter(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA journal_mode = WAL`)
    const holder = runProgram('hold-write-lock', [file])
    expect(await holder.nextLine()).toBe('held')
    const opening = openSqliteStores({ file, clock })
    clock.advance(100)
    holder.finish()
    await holder.remainingLines()
    clock.advance(100)
    await (await opening).close()
  })

  it('keeps the process alive that waits for it', async () => {
    const lines = await runProgram('wait-behind-a-lock', [file]).remainingLines()
    expect(lines).toEqual(['opened after 3 pauses', 'appended after 3 pauses'])
  })

  it('that another process never releases is refused as busy', async () => {
    alter(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA journal_mode = WAL`)
    const holder = runProgram('hold-write-lock', [file])
    expect(await holder.nextLine()).toBe('held')
    const opening = openSqliteStores({ file, clock, busyWaitMs: 200 }).catch((error: unknown) => error)
    for (let waited = 0; waited < 20; waited++) {
      clock.advance(50)
      await Promise.resolve()
    }
    expect(await opening).toMatchObject({ name: 'StorageFault', kind: 'busy' })
    holder.finish()
    await holder.remainingLines()
  })
})

function overwrite(path: string, position: number, length: number): void {
  const descriptor = openSync(path, 'r+')
  writeSync(descriptor, new Uint8Array(length).fill(0xee), 0, length, position)
  closeSync(descriptor)
}
