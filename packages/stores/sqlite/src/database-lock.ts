/**
 * Only one process at a time may use a database, whatever name it uses for it. Two locks ensure this:
 *
 * - A file beside the real path. It covers every spelling, symbolic links, and directories that are mounted twice.
 * - A file named after device and inode, in a directory of this machine. It covers hard links and single files
 *   that are mounted twice, which have no directory in common.
 *
 * SQLite keeps its write-ahead log beside the name by which a file was opened. When a process dies, its log must be read
 * before the file is used by another name, or acknowledged commits are lost. So the second lock remembers that name.
 */
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { identityOf, realPathOf } from './file-identity.ts'
import { acquireOwnerLock, type OwnerLock } from './owner-lock.ts'

export interface DatabaseLock extends OwnerLock {
  /** Call it when the file that is created under the lock exists. */
  created(): void
}

/** `undefined` when another process, or this one, uses the database. Throws a sentence when it must not be used. */
export function lockDatabase(file: string): DatabaseLock | undefined {
  const path = realPathOf(file)
  const byPath = acquireOwnerLock(`${path}.lock`)
  if (byPath === undefined) return undefined
  try {
    const identity = identityOf(path)
    let byInode = identity === undefined ? undefined : lockInode(identity, path)
    if (byInode === 'taken') {
      byPath.release()
      return undefined
    }
    return {
      created() {
        const made = identityOf(path)
        if (byInode !== undefined || made === undefined) return
        const lock = lockInode(made, path)
        if (lock !== 'taken') byInode = lock
      },
      release() {
        if (byInode !== 'taken') byInode?.release()
        byPath.release()
      },
    }
  } catch (error) {
    byPath.release()
    throw error
  }
}

/** `undefined` where there is no directory for such locks. */
function lockInode(identity: string, path: string): OwnerLock | 'taken' | undefined {
  const directory = lockDirectory()
  if (directory === undefined) return undefined
  const lockFile = join(directory, `${identity}.lock`)
  const nameFile = join(directory, `${identity}.name`)
  let lock: OwnerLock | undefined
  try {
    lock = acquireLasting(lockFile)
  } catch {
    // No file can be created there, for example on a full disk. The lock beside the database still holds.
    return undefined
  }
  if (lock === undefined) return 'taken'
  try {
    refuseForgottenLog(identity, path, nameFile)
    writeFileSync(nameFile, path, { mode: 0o600 })
  } catch (error) {
    lock.release()
    throw error
  }
  const held = lock
  return {
    release() {
      // Both happen while the lock is held. A waiting process then finds that its file is gone and creates a new one.
      rmSync(nameFile, { force: true })
      rmSync(lockFile, { force: true })
      held.release()
    },
  }
}

/** The previous owner may have removed the file that we locked. Then the lock is void. */
function acquireLasting(lockFile: string): OwnerLock | undefined {
  for (;;) {
    const before = identityOf(lockFile)
    const lock = acquireOwnerLock(lockFile)
    if (lock === undefined) return undefined
    if (before !== undefined && before === identityOf(lockFile)) return lock
    lock.release()
  }
}

function refuseForgottenLog(identity: string, path: string, nameFile: string): void {
  const before = existsSync(nameFile) ? readFileSync(nameFile, 'utf8') : path
  if (before === path || identityOf(before) !== identity) return
  const log = statSync(`${before}-wal`, { throwIfNoEntry: false })
  if (log === undefined || log.size === 0) return
  throw new Error(
    `${path} is the same file as ${before}, and ${before}-wal holds what was stored last. ` +
      `Start once with ${before}, then use one name only.`,
  )
}

/** In memory if possible, because locks do not outlive a restart of the machine. Only this user may write there. */
function lockDirectory(): string | undefined {
  const parent = process.platform === 'linux' && existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
  const { uid } = userInfo()
  const directory = join(parent, `polylogue-locks-${uid}`)
  try {
    mkdirSync(directory, { mode: 0o700 })
  } catch (error) {
    // It already exists or cannot be created. The checks below tell which.
    if (!(error instanceof Error && 'code' in error)) throw error
  }
  const stats = lstatSync(directory, { throwIfNoEntry: false })
  const isOurs = stats?.isDirectory() === true && (uid === -1 || stats.uid === uid)
  if (!isOurs) return undefined
  if ((stats.mode & 0o077) !== 0) chmodSync(directory, 0o700)
  return directory
}
