import { DatabaseSync } from 'node:sqlite'
import { APPLICATION_ID, MIGRATIONS, schemaVersionOf } from './migrate.ts'
import { preparePrivateFile } from './private-file.ts'
import { integerIn, textIn } from './rows.ts'
import { isBusy } from './sqlite-fault.ts'

/** Earlier ones can corrupt a WAL file when it is reset. */
const OLDEST_SQLITE = [3, 51, 3] as const

/** Opens a file that we may trust with acknowledgements, or refuses with one sentence. Throws SQLite's own BUSY. */
export function openDatabase(file: string): DatabaseSync {
  refuseOldSqlite(process.versions['sqlite'] ?? 'none')
  preparePrivateFile(file)
  const db = new DatabaseSync(file, { timeout: 0, enableForeignKeyConstraints: false })
  try {
    refuseForeignFile(db, file)
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    // After a burst the WAL file shrinks back to this; SQLite itself keeps it at its largest size for ever.
    db.exec(`PRAGMA journal_size_limit = ${64 * 1024 * 1024}`)
    refuseForgetfulSettings(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

export function refuseOldSqlite(version: string): void {
  const parts = version.split('.').map(Number)
  for (const [index, oldest] of OLDEST_SQLITE.entries()) {
    const part = parts[index] ?? 0
    if (part > oldest) return
    if (!(part >= oldest)) {
      throw new Error(`SQLite ${version} can lose data: Polylogue needs ${OLDEST_SQLITE.join('.')}, as in Node 24.`)
    }
  }
}

/** What was acknowledged survives power loss only with these two. */
export function refuseForgetfulSettings(db: DatabaseSync): void {
  const journal = textIn(db.prepare('PRAGMA journal_mode').get() ?? {}, 'journal_mode')
  if (journal !== 'wal')
    throw new Error(`SQLite's journal mode is ${journal}, not wal: the filesystem does not allow it.`)
  const level = integerIn(db.prepare('PRAGMA synchronous').get() ?? {}, 'synchronous')
  if (level !== 2)
    throw new Error(`SQLite's synchronous level is ${level}, not 2: commits would not wait for the disk.`)
}

function refuseForeignFile(db: DatabaseSync, file: string): void {
  const foreign = `${file} is not a Polylogue database.`
  let applicationId: number
  let tables: number
  try {
    applicationId = integerIn(db.prepare('PRAGMA application_id').get() ?? {}, 'application_id')
    tables = integerIn(db.prepare('SELECT count(*) AS tables FROM sqlite_schema').get() ?? {}, 'tables')
  } catch (error) {
    if (isBusy(error)) throw error
    throw new Error(foreign, { cause: error })
  }
  const isNew = applicationId === 0 && tables === 0
  if (!isNew && applicationId !== APPLICATION_ID) throw new Error(foreign)
  const version = schemaVersionOf(db)
  if (version > MIGRATIONS.length) {
    throw new Error(
      `${file} was written by a newer Polylogue (schema ${version}, this one knows ${MIGRATIONS.length}): run that one.`,
    )
  }
}
