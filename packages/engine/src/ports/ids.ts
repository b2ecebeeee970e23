import type { EntryId, SessionId, ToolCallId, TurnId, UserId } from '../ids.ts'

/** Contract: ids are unique, even within one millisecond. Session ids are UUIDv7, sort by creation and carry the slot of their user. */
export interface Ids {
  sessionId(userId: UserId): SessionId
  turnId(): TurnId
  entryId(): EntryId
  toolCallId(): ToolCallId
}

/** Returns `length` random bytes that are suitable for ids and keys. */
export type RandomBytes = (length: number) => Uint8Array

/** SHA-256 in lower-case hex. */
export type Digest = (content: string | Uint8Array) => string
