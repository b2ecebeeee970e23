import { StorageFault } from '@polylogue/engine'
import { damaged } from '@polylogue/store-rows'

// Primary result codes, https://sqlite.org/rescode.html. The driver gives extended ones: the primary is the low byte.
const BUSY = 5
const LOCKED = 6
const IOERR = 10
const CORRUPT = 11
/** Extended: the damage is inside a full-text index, and the tables are not affected. */
const CORRUPT_INDEX = 267
const FULL = 13
const NOTADB = 26

/** Errors of a single statement, not of the database: ERROR, TOOBIG, CONSTRAINT, MISMATCH, MISUSE, RANGE. */
const OF_THE_STATEMENT: ReadonlySet<number> = new Set([1, 18, 19, 20, 21, 25])

/** After these, nothing that SQLite reports about the disk is reliable until the file is opened again. */
const LASTING: ReadonlySet<number> = new Set([IOERR, CORRUPT, NOTADB])

export function isBusy(error: unknown): boolean {
  const code = primaryCode(error)
  return code === BUSY || code === LOCKED
}

export function isLasting(error: unknown): boolean {
  const code = primaryCode(error)
  return code !== undefined && LASTING.has(code) && codeOf(error) !== CORRUPT_INDEX
}

/** SQLite found damage, or the file is not a database. */
export function isCorrupt(error: unknown): boolean {
  const code = primaryCode(error instanceof StorageFault ? error.cause : error)
  return code === CORRUPT || code === NOTADB
}

/** SQLite or we found damage. */
export function isUnreadable(error: unknown): boolean {
  return isCorrupt(error) || (error instanceof StorageFault && error.kind === 'broken')
}

/** `undefined` for an error that is not a storage fault: a wrong statement, or a bug. */
export function storageFaultOf(error: unknown): StorageFault | undefined {
  if (error instanceof StorageFault) return error
  const code = primaryCode(error)
  if (code === undefined || OF_THE_STATEMENT.has(code)) return undefined
  if (code === FULL) return new StorageFault('full', 'The disk is full: nothing was stored.', { cause: error })
  if (code === BUSY || code === LOCKED) {
    return new StorageFault('busy', 'Another process holds the database: nothing was stored.', { cause: error })
  }
  const reason = error instanceof Error ? error.message : String(error)
  if (code === CORRUPT || code === NOTADB) return damaged(`The database is damaged: ${reason}.`, error)
  const remedy = 'Nothing is written until the server is started again; look at the disk first.'
  return new StorageFault('broken', `The database cannot be used: ${reason}. ${remedy}`, { cause: error })
}

function primaryCode(error: unknown): number | undefined {
  const code = codeOf(error)
  return code === undefined ? undefined : code & 0xff
}

function codeOf(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined
}
