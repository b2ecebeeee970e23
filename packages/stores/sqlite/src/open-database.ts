import { realpathSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { StorageFault } from '@polylogue/engine'
import { REPAIR_HINT, damaged, integerIn, textIn } from '@polylogue/store-rows'
import { refuseDamagedCatalogues } from './damaged-catalogues.ts'
import { identityOf } from './file-identity.ts'
import { foreignObjectsIn } from './foreign-objects.ts'
import { hasLostCommits } from './lost-commits.ts'
import { APPLICATION_ID, makeDatabase } from './make-database.ts'
import { MIGRATIONS, schemaVersionOf } from './migrate.ts'
import { preparePrivateFile } from './private-file.ts'
import { isBusy } from './sqlite-fault.ts'
import { describeOldSqlite, sqliteVersion } from './sqlite-version.ts'

/** Opens a file with durable commits, or throws one sentence. Also throws SQLite's own BUSY error. */
export function openDatabase(file: string): DatabaseSync {
  refuseOldSqlite(sqliteVersion())
  preparePrivateFile(file, makeDatabase)
  if (!isOpenHere(file)) refuseLostContent(file)
  const db = new DatabaseSync(file, { timeout: 0, enableForeignKeyConstraints: false })
  try {
    refuseForeignFile(db, file)
    refuseForeignObjects(db, file)
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    // After a burst the WAL file shrinks back to this size. By default SQLite never shrinks it.
    // Pages that many turns change are copied into the database once for all of them. The default is 1,000.
    db.exec('PRAGMA wal_autocheckpoint = 4000')
    // In KiB. The default of 2,000 holds the pages of a hundred sessions in use.
    db.exec('PRAGMA cache_size = -16000')
    db.exec(`PRAGMA journal_size_limit = ${64 * 1024 * 1024}`)
    refuseForgetfulSettings(db)
    refuseDamagedCatalogues(db, file)
    openHere.set(identityOf(file) ?? file, db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

export function refuseOldSqlite(version: string): void {
  const unsafe = describeOldSqlite(version)
  if (unsafe !== undefined) throw new Error(unsafe)
}

/** Before anything is written: a trigger runs with the first statement that changes its table. */
function refuseForeignObjects(db: DatabaseSync, file: string): void {
  const [problem] = foreignObjectsIn(db)
  if (problem === undefined) return
  throw new StorageFault('broken', `${file} was changed by another program: ${problem}. Use a backup that you trust.`)
}

/** Without these two settings, acknowledged writes do not survive power loss. */
export function refuseForgetfulSettings(db: DatabaseSync): void {
  const journal = textIn(db.prepare('PRAGMA journal_mode').get() ?? {}, 'journal_mode')
  if (journal !== 'wal')
    throw new Error(`SQLite's journal mode is ${journal}, not wal: the filesystem does not allow it.`)
  const level = integerIn(db.prepare('PRAGMA synchronous').get() ?? {}, 'synchronous')
  if (level !== 2)
    throw new Error(`SQLite's synchronous level is ${level}, not 2: commits would not wait for the disk.`)
}

/** The databases of this process by device and inode. Reading the side files of one of them would drop its locks. */
const openHere = new Map<string, DatabaseSync>()

function isOpenHere(file: string): boolean {
  for (const [identity, db] of openHere) if (!db.isOpen) openHere.delete(identity)
  return openHere.has(identityOf(file) ?? file)
}

/** Detects damage that SQLite mistakes for an empty database or a harmless crash. */
function refuseLostContent(file: string): void {
  if (statSync(file).size === 0) throw damaged(`${file} is empty: it has lost its content.`)
  // SQLite keeps the side files beside the file itself, not beside a link to it.
  if (!hasLostCommits(realpathSync(file))) return
  throw new StorageFault(
    'broken',
    `${file}-wal is damaged: what was stored last cannot be read. ${REPAIR_HINT} ` +
      `To go on with what is left, type: sqlite3 '${file}' 'PRAGMA wal_checkpoint(TRUNCATE)'`,
  )
}

function refuseForeignFile(db: DatabaseSync, file: string): void {
  const foreign = `${file} is not a Polylogue database, or its first page is damaged. ${REPAIR_HINT}`
  let applicationId: number
  try {
    applicationId = integerIn(db.prepare('PRAGMA application_id').get() ?? {}, 'application_id')
  } catch (error) {
    if (isBusy(error)) throw error
    throw new Error(foreign, { cause: error })
  }
  if (applicationId !== APPLICATION_ID) throw new Error(foreign)
  const version = schemaVersionOf(db)
  if (version > MIGRATIONS.length) {
    throw new Error(
      `${file} was written by a newer Polylogue (schema ${version}, this one knows ${MIGRATIONS.length}): run that one.`,
    )
  }
}
