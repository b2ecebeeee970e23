import type { SessionId } from '@polylogue/engine'

/** Clients of one session, apart by how much they are told. */
export const roomOf = (sessionId: SessionId, kind: 'lean' | 'plain'): string => `${kind}:${sessionId}`

/** All sockets of one user, for what concerns the list of sessions. */
export const roomOfUser = (userId: string): string => `user:${userId}`
