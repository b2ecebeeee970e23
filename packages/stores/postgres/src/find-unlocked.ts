import { textIn } from '@polylogue/store-rows'
import type { Pending } from './append-lane.ts'
import type { Database } from './database.ts'

/** Which appends need no row that somebody else has locked now. Users come before sessions, as in every transaction. */
export async function findUnlocked(db: Database, group: readonly Pending[]): Promise<(pending: Pending) => boolean> {
  const sessionIds = group.map(({ item }) => item.sessionId)
  const created = group.flatMap(({ request }) => request.create?.userId ?? [])
  return db.asSystem(async (query) => {
    const ask = async (column: string, text: string, values: readonly unknown[]): Promise<ReadonlySet<string>> =>
      new Set((await query({ text, values })).map((row) => textIn(row, column)))
    const users = `SELECT user_id FROM polylogue.user_sizes WHERE user_id = ANY ($2)
      OR user_id IN (SELECT user_id FROM polylogue.sessions WHERE session_id = ANY ($1))`
    const known = await ask('user_id', users, [sessionIds, created])
    const freeUsers = await ask('user_id', `${users} ORDER BY user_id FOR UPDATE SKIP LOCKED`, [sessionIds, created])
    const lockedUsers = [...known].filter((userId) => !freeUsers.has(userId))
    const sessions = `SELECT session_id FROM polylogue.sessions
      WHERE session_id = ANY ($1) AND user_id <> ALL ($2) ORDER BY session_id FOR UPDATE SKIP LOCKED`
    const freeSessions = await ask('session_id', sessions, [sessionIds, lockedUsers])
    return ({ request: { create }, item: { sessionId } }) =>
      create === undefined ? freeSessions.has(sessionId) : !lockedUsers.includes(create.userId)
  })
}
