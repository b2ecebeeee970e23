import type { SessionId } from '@polylogue/engine'

export type Reader = 'owner' | 'guest'

/** The clients of one session, by what they receive: only the owner gets memories. */
export const roomOf = (sessionId: SessionId, kind: 'lean' | 'plain', reader: Reader): string =>
  `${reader}:${kind}:${sessionId}`

/** All sockets of one user, for changes of the session list. */
export const roomOfUser = (userId: string): string => `user:${userId}`
