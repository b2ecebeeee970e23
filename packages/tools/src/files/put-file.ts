// Replaces a whole file. The caller has checked the right to do so: a granted call, or an action of the user.
import { randomBytes } from 'node:crypto'
import { constants, type BigIntStats } from 'node:fs'
import { mkdir, open, unlink, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { canSyncFolders, renamePatiently } from '../host.ts'
import { below, listingPath, type Directory } from './directory.ts'
import { codeOf } from './file-problem.ts'

export async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path)
    await syncDirectory(dirname(path))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

export async function putInPlace(
  { directory, name }: { readonly directory: Directory; readonly name: string },
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
    await renamePatiently(temporary, below(directory, name))
  } catch (error) {
    await unlink(temporary).catch((gone: unknown) => {
      if (codeOf(gone) === undefined) throw gone
    })
    throw error
  }
  await syncDirectory(listingPath(directory))
}

export async function removeFile(directory: Directory, name: string): Promise<void> {
  await unlink(below(directory, name))
}

/** Without setuid and setgid. */
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
  if (!canSyncFolders()) return
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
