import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { observeFailpoints } from '@polylogue/engine'
import { createFakeClock } from '@polylogue/testkit'
import { MIGRATIONS, migrate, schemaVersionOf } from './migrate.ts'
import { openDatabase } from './open-database.ts'
import { openSqliteStores } from './open-sqlite-stores.ts'
import { runProgram } from './test-programs/run-program.ts'

const options = { clock: createFakeClock(), busyWaitMs: 0 }
let directory: string
let file: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'polylogue-migrate-'))
  file = join(directory, 'polylogue.db')
})
afterEach(() => {
  observeFailpoints(undefined)
  rmSync(directory, { recursive: true })
})

const schemaOf = (path: string): unknown[] => {
  const db = new DatabaseSync(path)
  const rows = db.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name').all()
  db.close()
  return rows
}

const freshSchema = async (): Promise<unknown[]> => {
  const fresh = join(directory, 'fresh.db')
  await (await openSqliteStores({ file: fresh, ...options })).close()
  return schemaOf(fresh)
}

const makeVersion = async (version: number): Promise<void> => {
  const db = openDatabase(file)
  await migrate(db, { ...options, upTo: version })
  db.close()
}

const versionOfFile = (): number => {
  const db = openDatabase(file)
  try {
    return schemaVersionOf(db)
  } finally {
    db.close()
  }
}

describe('the migrations', () => {
  it('are the files of their folder, in the order of their numbers', () => {
    expect(readdirSync(new URL('migrations', import.meta.url)).sort()).toEqual([...MIGRATIONS])
    for (const [index, name] of MIGRATIONS.entries()) expect(Number(name.slice(0, 4))).toBe(index + 1)
  })

  it.each(MIGRATIONS.map((_, version) => version))('lead from version %i to the newest one', async (version) => {
    await makeVersion(version)
    expect(versionOfFile()).toBe(version)
    await (await openSqliteStores({ file, ...options })).close()
    expect(schemaOf(file)).toEqual(await freshSchema())
  })

  it('change nothing the second time', async () => {
    const hits: string[] = []
    observeFailpoints((name) => void hits.push(name))
    await (await openSqliteStores({ file, ...options })).close()
    await (await openSqliteStores({ file, ...options })).close()
    expect(hits).toEqual(MIGRATIONS.map(() => 'migrate'))
  })

  it.each(MIGRATIONS.map((_, index) => index + 1))('continue after a failure in number %i', async (failing) => {
    await makeVersion(failing - 1)
    observeFailpoints(async () => {
      throw new Error('not now')
    })
    await expect(openSqliteStores({ file, ...options })).rejects.toThrow('not now')
    expect(versionOfFile()).toBe(failing - 1)
    observeFailpoints(undefined)
    await (await openSqliteStores({ file, ...options })).close()
    expect(schemaOf(file)).toEqual(await freshSchema())
  })

  it.each(MIGRATIONS.map((_, index) => index + 1))('continue after a kill in number %i', async (killed) => {
    await makeVersion(killed - 1)
    expect(await runProgram('die-while-migrating', [file, '1']).remainingLines()).toEqual([])
    expect(versionOfFile()).toBe(killed - 1)
    await (await openSqliteStores({ file, ...options })).close()
    expect(schemaOf(file)).toEqual(await freshSchema())
  })

  it.each(MIGRATIONS.map((_, index) => index + 1))(
    'leave a new database empty after a failure in number %i',
    async (failing) => {
      let hits = 0
      observeFailpoints(async () => {
        if (++hits === failing) throw new Error('not now')
      })
      await expect(openSqliteStores({ file, ...options })).rejects.toThrow('not now')
      expect(versionOfFile()).toBe(0)
      expect(schemaOf(file)).toEqual([])
      observeFailpoints(undefined)
      await (await openSqliteStores({ file, ...options })).close()
      expect(schemaOf(file)).toEqual(await freshSchema())
    },
  )

  it('leave a new database empty after a kill in the last one', async () => {
    expect(await runProgram('die-while-migrating', [file, String(MIGRATIONS.length)]).remainingLines()).toEqual([])
    expect(versionOfFile()).toBe(0)
    expect(schemaOf(file)).toEqual([])
    await (await openSqliteStores({ file, ...options })).close()
    expect(schemaOf(file)).toEqual(await freshSchema())
  })
})
