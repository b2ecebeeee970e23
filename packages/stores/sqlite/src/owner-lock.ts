import { DatabaseSync } from 'node:sqlite'
import { preparePrivateFile } from './private-file.ts'
import { isBusy } from './sqlite-fault.ts'

export interface OwnerLock {
  /** Idempotent. */
  release(): void
}

/**
 * Locks `file` until the lock is released or the process ends, even if it is killed: it is a lock of the operating
 * system. `undefined` when it is locked already, by another process or by this one.
 *
 * The file is an empty SQLite database, because Node has no file locks of its own. Do not open it by other means:
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
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${file} cannot be locked: ${reason}.`, { cause: error })
  }
  return {
    release() {
      if (db.isOpen) db.close()
    },
  }
}
