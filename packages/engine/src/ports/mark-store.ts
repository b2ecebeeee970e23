import type { SessionId } from '../ids.ts'

/**
 * Marks in long logs: what a door knows after an event, so that its readers need not begin at the first one. A mark can be
 * made again from the log, so that a lost one costs only time.
 */
export interface MarkStore {
  /**
   * Stores marks of a session; those that exist stay as they are. Removes the marks that the door made with a lower format.
   * Stores nothing if the session does not exist. Deleting a session removes its marks.
   */
  keep(sessionId: SessionId, kind: MarkKind, marks: readonly StoredMark[]): Promise<void>
  /** In order of `seq`. Leaves damaged marks out. */
  read(sessionId: SessionId, kind: MarkKind): Promise<readonly StoredMark[]>
}

export interface MarkKind {
  readonly door: string
  /** Rises when the door reads the same log differently, or writes its marks differently. */
  readonly format: number
}

export interface StoredMark {
  /** The last event that the mark covers. */
  readonly seq: number
  /** Written and read only by the door. */
  readonly content: string
}
