import { readPrivateFile, writePrivateFile } from '../platform/private-file.ts'
import { LOCAL_USER, type KeyRing } from './key-ring.ts'

export interface LocalKey {
  readonly plain: string
  readonly isNew: boolean
}

/** Nobody was ever given a key here: a start that is refused may have made the database and nothing else. */
export async function lacksFirstKey(path: string, keys: KeyRing): Promise<boolean> {
  return readPrivateFile(path) === undefined && (await keys.list()).length === 0
}

/**
 * `<data>/local.key`: the plain text of the first key. Made at the first start; a key that was revoked since is
 * replaced, for whoever can read this file owns the data directory anyway.
 */
export async function openLocalKey(path: string, keys: KeyRing): Promise<LocalKey> {
  const stored = readPrivateFile(path)?.trim()
  if (stored !== undefined && (await keys.find(stored)) !== undefined) return { plain: stored, isNew: false }
  const { plain } = await keys.createApiKey(LOCAL_USER, 'local')
  writePrivateFile(path, `${plain}\n`)
  return { plain, isNew: stored === undefined }
}
