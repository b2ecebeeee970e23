import { crc32 } from 'node:zlib'
import { asUserId, type UserRecord } from '@polylogue/engine'
import { damaged } from './damage.ts'
import { integerIn, textIn, type Row } from './row.ts'

/** Throws a `StorageFault` when the row changed by accident: a flipped bit must not make an admin. */
export function userIn(row: Row): UserRecord {
  const userId = asUserId(textIn(row, 'user_id'))
  const role = textIn(row, 'role')
  const createdAt = integerIn(row, 'created_at')
  if ((role !== 'user' && role !== 'admin') || checksumOfUser({ userId, role, createdAt }) !== integerIn(row, 'crc')) {
    throw damaged(`The record of a user is damaged.`)
  }
  return { userId, role, createdAt }
}

export const checksumOfUser = ({ userId, role, createdAt }: UserRecord): number =>
  crc32(JSON.stringify([userId, role, createdAt]))
