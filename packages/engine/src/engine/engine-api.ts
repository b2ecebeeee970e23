import type { SessionView } from '../views/session-view.ts'
import type { Attachment, SessionReader } from '../events/session-reader.ts'
import type { ConversationMessage } from '../content.ts'
import type { Cursor } from '../events/live-event.ts'
import type { SessionId, UserId } from '../ids.ts'
import type { Blob } from '../ports/event-store.ts'
import type { WaitingCall } from '../views/waiting-calls.ts'
import type { Command, CommandResults } from '../session/command.ts'

/**
 * All that a door may ask of the engine. Every call names the user: an id of somebody else's is refused exactly like
 * an unknown one (`session-not-found`).
 */
export interface Engine {
  execute<C extends Command>(command: C): Promise<CommandResults[C['type']]>

  readSession(userId: UserId, sessionId: SessionId, as?: ReadAs): Promise<SessionView>
  /** Newest first. `next` is the last id of a full page; pass it as `before`. */
  listSessions(userId: UserId, page: { readonly before?: SessionId; readonly limit: number }): Promise<SessionPage>
  /** The one that changed last first; before those, unless said otherwise, pinned ones. */
  findSessions(userId: UserId, search: SessionSearch): Promise<SessionMatches>
  /** `full`: all that was said, nothing left out. `compacted`: what the model is given. */
  readHistory(userId: UserId, sessionId: SessionId, view: 'full' | 'compacted'): Promise<readonly ConversationMessage[]>
  /** The calls that the session waits for, with what the person who answers them should see. */
  readWaiting(userId: UserId, sessionId: SessionId): Promise<readonly WaitingCall[]>
  readBlob(userId: UserId, sessionId: SessionId, hash: string, as?: ReadAs): Promise<Blob | undefined>

  /**
   * Calls `reader` with everything after the cursor, first from the log, then live, in one order without gap or
   * repeat. A reader that comes in the middle of a step first gets the text so far as deltas from the cursor's offset.
   * Resolves when the past has been delivered. The reader is called synchronously and must not throw.
   */
  attach(userId: UserId, sessionId: SessionId, after: Cursor, reader: SessionReader, as?: ReadAs): Promise<Attachment>

  /**
   * Goes on with what a dead process left. `all`: at once, every turn. `used`: only in sessions that somebody turns to,
   * and only where their agent is known; for a process that came for one errand and may lack the server's configuration.
   */
  start(takeOver?: 'all' | 'used'): Promise<void>
  /** Stops taking commands, gives running turns `graceMs` to finish, leaves the rest for the next owner. Idempotent. */
  stop(graceMs: number): Promise<void>
}

/** `guest`: also somebody else's session, if its owner shares it. Reading only. */
export type ReadAs = 'owner' | 'guest'

export interface SessionSearch {
  /** Only sessions that work in this directory. */
  readonly directory?: string
  /** What the title contains, or words that occur in the title or in what was said. */
  readonly text?: string
  /** Leave out sessions in which nothing was ever said. */
  readonly isStarted?: true
  /** Pinned ones first, unless said otherwise. */
  readonly order?: 'pinned-first' | 'newest-first'
  readonly offset: number
  readonly limit: number
}

export interface SessionMatches {
  readonly sessions: readonly SessionView[]
  /** All that match, beyond the page too. */
  readonly total: number
  /** Some texts were not searched. */
  readonly isPartial?: true
}

export interface SessionPage {
  readonly sessions: readonly SessionView[]
  readonly next?: SessionId
}
