import { DatabaseSync } from 'node:sqlite'
import { preparePrivateFile } from './private-file.ts'
import { isBusy } from './sqlite-fault.ts'

export interface OwnerLock {
  /** Idempotent. */
  release(): void
}

/**
 * Makes this process the one owner of what `file` stands for, until it releases the lock or ends, however it ends: the
 * lock is a file lock of the operating system. `undefined` when there is an owner already, be it this process.
 *
 * The file is an empty SQLite database, because Node has no file locks of its own. Nobody may open it by other means:
 * closing any descriptor of it drops the lock of the whole process.
 */
export function acquireOwnerLock(file: string): OwnerLock | undefined {
  preparePrivateFile(file)
  const db = new DatabaseSync(file, { timeout: 0 })
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if (isBusy(error)) return undefined
    throw new Error(`${file} cannot be locked.`, { cause: error })
  }
  return {
    release() {
      if (db.isOpen) db.close()
    },
  }
}
