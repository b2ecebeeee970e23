import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** `PLLG`, in the header of every file of ours. */
export const APPLICATION_ID = 0x504c4c47

/**
 * Creates a database without tables that carries our mark. It appears under its name in one step, so an empty or
 * unmarked file is never one that we began: it lost its content. An existing file stays.
 */
export function makeDatabase(file: string): void {
  const draft = `${file}.new`
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(draft + suffix, { force: true })
  closeSync(openSync(draft, 'wx', 0o600))
  const db = new DatabaseSync(draft, { timeout: 0 })
  try {
    // Nobody reads the draft before it is whole, so the disk is waited for once, at its end.
    db.exec(
      `PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; PRAGMA application_id = ${APPLICATION_ID}; PRAGMA journal_mode = WAL`,
    )
  } finally {
    db.close()
  }
  sync(draft, 'r+')
  appear(draft, file)
  // Without it, a power loss may lose the name although the content is safe.
  if (process.platform !== 'win32') sync(dirname(file), 'r')
}

/** Uses a link, because a rename would replace a file that another process created in the meantime. */
function appear(draft: string, file: string): void {
  try {
    linkSync(draft, file)
  } catch (error) {
    if (!isCode(error, 'EEXIST')) {
      // A filesystem without links.
      if (!existsSync(file)) return renameSync(draft, file)
    }
  }
  rmSync(draft)
}

function sync(path: string, flags: 'r' | 'r+'): void {
  const opened = openSync(path, flags)
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code
