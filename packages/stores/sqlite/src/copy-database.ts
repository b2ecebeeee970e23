import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** Copies the data that is committed when the copy starts. Readers and the writer can continue during the copy. */
export async function copyDatabase(file: string, target: string): Promise<void> {
  // Created first with private permissions. SQLite accepts an existing empty file.
  closeSync(openSync(target, 'wx', 0o600))
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  try {
    db.prepare('VACUUM INTO ?').run(target)
  } finally {
    db.close()
  }
}
