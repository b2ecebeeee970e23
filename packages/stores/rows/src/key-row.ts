import { asUserId, type KeyRecord } from '@polylogue/engine'
import { type ChecksummedKey, checksumOfKey } from './checksum.ts'
import { damaged } from './damage.ts'
import { type Row, integerIn, optionalIntegerIn, textIn } from './row.ts'

export type StoredKey = ChecksummedKey & Pick<KeyRecord, 'lastUsedAt'>

export function keyIn(row: Row): StoredKey {
  const id = textIn(row, 'id')
  const kind = textIn(row, 'kind')
  if (kind !== 'api' && kind !== 'browser') throw damaged(`The key ${id} has the kind ${kind}.`)
  const expiresAt = optionalIntegerIn(row, 'expires_at')
  const lastUsedAt = optionalIntegerIn(row, 'last_used_at')
  const revokedAt = optionalIntegerIn(row, 'revoked_at')
  const key: StoredKey = {
    id,
    userId: asUserId(textIn(row, 'user_id')),
    kind,
    name: textIn(row, 'name'),
    hash: textIn(row, 'hash'),
    prefix: textIn(row, 'prefix'),
    lastFour: textIn(row, 'last_four'),
    createdAt: integerIn(row, 'created_at'),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(lastUsedAt !== undefined && { lastUsedAt }),
    ...(revokedAt !== undefined && { revokedAt }),
  }
  if (checksumOfKey(key) !== row['crc']) throw damaged(`The key ${id} is damaged.`)
  return key
}
