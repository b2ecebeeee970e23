import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { EXIT_CONFIG, ServeError } from '../serve-error.ts'

/** Files that hold keys: mode 0600, never read when others could have read or changed them. */

/** `undefined` when there is no such file. Throws a `ServeError` when the file is open to other users. */
export function readPrivateFile(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return undefined
  if (!stat.isFile()) throw new ServeError(`${path} is not a regular file; remove it and start again.`, EXIT_CONFIG)
  if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0) {
    throw new ServeError(`${path} is open to other users. Type: chmod 600 ${shellQuote(path)}`, EXIT_CONFIG)
  }
  return readFileSync(path, 'utf8')
}

/** All of the content or the old file: a crash in between leaves no half-written key. */
export function writePrivateFile(path: string, content: string): void {
  const draft = `${path}.new`
  rmSync(draft, { force: true })
  const file = openSync(draft, 'wx', 0o600)
  try {
    writeFileSync(file, content)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(draft, path)
  syncDirectory(dirname(path))
}

export function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** Without it, a power loss may forget the rename although the file's content is safe. */
function syncDirectory(path: string): void {
  if (process.platform === 'win32') return
  const directory = openSync(path, 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}
