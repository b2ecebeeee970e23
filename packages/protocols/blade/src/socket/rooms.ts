import type { SessionId } from '@polylogue/engine'

export type Reader = 'owner' | 'guest'

/** Clients of one session, apart by how much they are told: what the owner's memories say is the owner's alone. */
export const roomOf = (sessionId: SessionId, kind: 'lean' | 'plain', reader: Reader): string =>
  `${reader}:${kind}:${sessionId}`

/** All sockets of one user, for what concerns the list of sessions. */
export const roomOfUser = (userId: string): string => `user:${userId}`
