import { asSessionId, type Engine, type SessionId, type SessionView, type UserId } from '@polylogue/engine'
import { Refusal, noSuchSession } from './refusal.ts'

/** A malformed id counts as unknown. */
export function sessionIdIn(given: string): SessionId {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(given)) throw noSuchSession()
  return asSessionId(given.toLowerCase())
}

/** Users whom a session is shared with may read it, but not change it. */
export async function requireOwner(
  { readSession }: Pick<Engine, 'readSession'>,
  userId: UserId,
  sessionId: SessionId,
): Promise<SessionView> {
  const view = await readSession(userId, sessionId, 'guest')
  if (view.userId !== userId) throw new Refusal(403, 'This session is shared with you as read-only.')
  return view
}
