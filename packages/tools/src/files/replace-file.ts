// The only file of the file tools that writes, and so the only one that may import what makes, changes, renames or
// removes files. Every way in asks for the grant first.
import { requireGrant, type Grant } from '@polylogue/engine'
import { randomBytes } from 'node:crypto'
import { constants, type BigIntStats } from 'node:fs'
import { mkdir, open, rename, unlink, type FileHandle } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { AskedPath } from './asked-path.ts'
import { atSpot, type Spot } from './at-spot.ts'
import type { Confines } from './confines.ts'
import { below, listingPath, type Directory } from './directory.ts'
import { codeOf, FileProblem } from './file-problem.ts'

export interface Replacement {
  readonly tool: string
  readonly grant: Grant
  readonly asked: AskedPath
  readonly bytes: Uint8Array
  /** What the new bytes were made from: if the file is another one by now, nothing is written. */
  readonly madeFrom?: BigIntStats
}

/**
 * Puts a whole new file in the place of the old one: a reader sees either, a crash leaves either, and a second name of
 * the old file keeps the old bytes. Missing directories are made. The mode stays, and the owner where we may set it.
 */
export async function replaceFile(confines: Confines, replacement: Replacement): Promise<'created' | 'modified'> {
  const { tool, grant, asked, bytes, madeFrom } = replacement
  requireGrant(grant, tool)
  requireSameFile(grant, asked)
  const place = async (spot: Spot): Promise<'created' | 'modified'> => {
    if (spot.kind === 'directory') throw new FileProblem('failed', `path: ${asked.shown} is a directory`)
    const old = spot.kind === 'file' ? spot.stats : undefined
    if (madeFrom && !(old && isSameVersion(old, madeFrom)))
      throw new FileProblem('failed', `path: ${asked.shown} was changed by somebody else meanwhile; read it again`)
    await putInPlace(spot.directory, spot.name, bytes, old)
    return old ? 'modified' : 'created'
  }
  return atSpot(confines, asked, place, { isForWriting: true, makeDirectory })
}

function requireSameFile({ call }: Grant, { absolute }: AskedPath): void {
  const { path } = call.input
  if (typeof path !== 'string' || resolve(call.cwd, path) !== absolute)
    throw new Error('the grant is for another file than the one to write')
}

function isSameVersion(one: BigIntStats, other: BigIntStats): boolean {
  return one.ino === other.ino && one.dev === other.dev && one.size === other.size && one.mtimeNs === other.mtimeNs
}

async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path)
    await syncDirectory(dirname(path))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

async function putInPlace(
  directory: Directory,
  name: string,
  bytes: Uint8Array,
  old: BigIntStats | undefined,
): Promise<void> {
  const temporary = below(directory, `.polylogue-${randomBytes(8).toString('hex')}.tmp`)
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
  const file = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, old ? 0o600 : 0o666)
  try {
    try {
      await file.writeFile(bytes)
      if (old) await keepOwnerAndMode(file, old)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, below(directory, name))
  } catch (error) {
    await unlink(temporary).catch((gone: unknown) => {
      if (codeOf(gone) === undefined) throw gone
    })
    throw error
  }
  await syncDirectory(listingPath(directory))
}

/** Without the bits that lend rights to whoever runs it. */
const PERMISSIONS = 0o777n

async function keepOwnerAndMode(file: FileHandle, old: BigIntStats): Promise<void> {
  const { uid, gid } = await file.stat({ bigint: true })
  if (uid !== old.uid || gid !== old.gid) {
    await file.chown(Number(old.uid), Number(old.gid)).catch((error: unknown) => {
      if (codeOf(error) !== 'EPERM') throw error
    })
  }
  await file.chmod(Number(old.mode & PERMISSIONS))
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
