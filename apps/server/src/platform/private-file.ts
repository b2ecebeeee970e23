import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { hasFileModes, replaceBy } from './host.ts'
import { EXIT_CONFIG, EXIT_FAILURE, ServeError } from '../serve-error.ts'

/** Files that hold keys: mode 0600, never read when others could have read or changed them. */

/** `undefined` when there is no such file. Throws a `ServeError` when it is open to other users, or cannot be read. */
export function readPrivateFile(path: string): string | undefined {
  return explained(`${path} cannot be read`, () => readIfPrivate(path))
}

function readIfPrivate(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return undefined
  if (!stat.isFile()) throw new ServeError(`${path} is not a regular file; remove it and start again.`, EXIT_CONFIG)
  if (hasFileModes() && (stat.mode & 0o077) !== 0) {
    throw new ServeError(`${path} is open to other users. Type: chmod 600 ${shellQuote(path)}`, EXIT_CONFIG)
  }
  return readFileSync(path, 'utf8')
}

/** All of the content or the old file: a crash in between leaves no half-written key. Throws a `ServeError`. */
export function writePrivateFile(path: string, content: string): void {
  explained(`${path} cannot be written`, () => replaceFile(path, content))
}

function replaceFile(path: string, content: string): void {
  const draft = `${path}.new`
  writeDraft(draft, content)
  replaceBy(draft, path)
  syncDirectory(dirname(path))
}

/** Returns the content of the file, which another process may have created first. Throws a `ServeError`. */
export function createPrivateFile(path: string, content: string): string {
  return explained(`${path} cannot be written`, () => {
    // Processes in containers may share the directory and have the same pid.
    const draft = `${path}.${randomUUID()}.new`
    writeDraft(draft, content)
    try {
      linkSync(draft, path)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    } finally {
      rmSync(draft)
    }
    syncDirectory(dirname(path))
    return readIfPrivate(path) ?? content
  })
}

function writeDraft(draft: string, content: string): void {
  rmSync(draft, { force: true })
  const file = openSync(draft, 'wx', 0o600)
  try {
    writeFileSync(file, content)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

export function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** Without it, a power loss may forget the rename although the file's content is safe. */
function syncDirectory(path: string): void {
  // Windows cannot open a directory as a file.
  if (!hasFileModes()) return
  const directory = openSync(path, 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}

/** A disk that is full or fails is nothing that a stack would explain. */
function explained<T>(what: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error)) throw error
    // Node's message is the reason, a comma, then the call and the paths.
    const [reason] = error.message.split(', ')
    throw new ServeError(`${what}: ${reason}. Look at the disk, then start again.`, EXIT_FAILURE, { cause: error })
  }
}
