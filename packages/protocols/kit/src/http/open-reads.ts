import type { Writable } from 'node:stream'
import type { UserId } from '@polylogue/engine'

/** Limits the large answers that one user is reading, because each holds a part of a session in memory. */
export interface OpenReads {
  /**
   * Resolves when the answer may be made. It counts until `outgoing` is closed and the work that it holds has ended. Rejects
   * with an `EngineError` (`too-many-reads`) when other answers of the user are not read in time.
   */
  enter(userId: UserId, outgoing: Writable): Promise<HoldRead>
  /** The same for a part of an answer. It counts until what this resolves to is called; calling that twice is harmless. */
  begin(userId: UserId, signal: AbortSignal): Promise<() => void>
}

/** Does the work of an answer. Its place stays taken until the end, also when the client leaves before. */
export type HoldRead = <T>(work: () => Promise<T>) => Promise<T>
