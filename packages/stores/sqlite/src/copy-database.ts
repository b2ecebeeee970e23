import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** Copies what was committed when it began. Readers and the writer of the database go on meanwhile. */
export async function copyDatabase(file: string, target: string): Promise<void> {
  // Nobody else may read it, from its first byte on. SQLite fills a file that is there and empty.
  closeSync(openSync(target, 'wx', 0o600))
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  try {
    db.prepare('VACUUM INTO ?').run(target)
  } finally {
    db.close()
  }
}
