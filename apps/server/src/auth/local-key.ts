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

/** `<data>/local.key`: the plain text of the first key. `undefined` when it is missing or was revoked. */
export async function findLocalKey(path: string, keys: KeyRing): Promise<LocalKey | undefined> {
  const stored = readPrivateFile(path)?.trim()
  return stored !== undefined && (await keys.find(stored)) !== undefined ? { plain: stored, isNew: false } : undefined
}

/**
 * Replaces one that was revoked too, for whoever can read the file owns the data directory anyway. `shared` is the key of
 * all nodes on one database: a node with an empty data directory makes no other one, unless it was revoked.
 */
export async function openLocalKey(path: string, keys: KeyRing, shared?: string): Promise<LocalKey> {
  const found = await findLocalKey(path, keys)
  if (found !== undefined) return found
  const isNew = readPrivateFile(path) === undefined
  const isShared = shared !== undefined && (await keys.ensureApiKey(LOCAL_USER, 'local', shared))
  const plain = isShared ? shared : (await keys.createApiKey(LOCAL_USER, 'local')).plain
  writePrivateFile(path, `${plain}\n`)
  return { plain, isNew }
}
