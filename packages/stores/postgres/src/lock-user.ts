import type { UserId } from '@polylogue/engine'
import type { Query } from './database.ts'

/** Blocks other transactions of this user until this one ends, because numbers and limits of a user need an order. */
export async function lockUser(query: Query, userId: UserId): Promise<void> {
  await query({
    name: 'lock_user',
    text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 1886153069))',
    values: [userId],
  })
}
