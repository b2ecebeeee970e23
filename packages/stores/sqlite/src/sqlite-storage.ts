import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Clock, Storage, StorageDescription } from '@polylogue/engine'
import { copyDatabase } from './copy-database.ts'
import { dumpDatabase } from './dump-database.ts'
import { fillDatabase } from './fill-database.ts'
import { realPathOf } from './file-identity.ts'
import { inspectDatabase } from './inspect-database.ts'
import { describeOldSqlite, sqliteVersion } from './sqlite-version.ts'

/** Files that SQLite and the lock keep beside the database. */
const ENDINGS = ['', '-wal', '-shm', '-journal', '.lock']

/** Operations on a database file that do not open it for writing. */
export function createSqliteStorage(file: string, clock: Clock): Storage {
  return {
    describe: async () => describeFile(file),
    inspect: () => inspectDatabase(file, clock.now()),
    copyTo: (target) => copyDatabase(file, target),
    dump: () => dumpDatabase(file),
    fill: (rows) => fillDatabase(file, rows, clock),
  }
}

function describeFile(file: string): StorageDescription {
  const unsafe = describeOldSqlite(sqliteVersion())
  return {
    url: `sqlite:${file}`,
    name: file,
    software: `SQLite ${sqliteVersion()}`,
    ...(unsafe !== undefined && { unsafe }),
    exists: existsSync(file),
    files: namesOf(file).flatMap((name) => ENDINGS.map((ending) => `${name}${ending}`)),
    directory: dirname(file),
    bytes: sizeOf(file),
    logBytes: sizeOf(`${file}-wal`),
  }
}

/** The path as given, and with links resolved. */
function namesOf(file: string): readonly string[] {
  return existsSync(dirname(file)) ? [...new Set([file, realPathOf(file)])] : [file]
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
