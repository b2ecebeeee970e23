import type { EntryId, SessionId, ToolCallId, TurnId } from '../ids.ts'

/** Contract: ids are unique, even within one millisecond. Session ids are UUIDv7 and sort by creation. */
export interface Ids {
  sessionId(): SessionId
  turnId(): TurnId
  entryId(): EntryId
  toolCallId(): ToolCallId
}

/** Returns `length` random bytes that are suitable for ids and keys. */
export type RandomBytes = (length: number) => Uint8Array

/** SHA-256 in lower-case hex. */
export type Digest = (content: string | Uint8Array) => string
