import type { SessionView } from '../views/session-view.ts'
import type { Attachment, SessionReader } from '../events/session-reader.ts'
import type { ConversationMessage } from '../content.ts'
import type { Cursor } from '../events/live-event.ts'
import type { SessionId, UserId } from '../ids.ts'
import type { Blob } from '../ports/event-store.ts'
import type { QueuedInput } from '../state/session-state.ts'
import type { WaitingCall } from '../views/waiting-calls.ts'
import type { Command, CommandResults } from '../session/command.ts'

/**
 * Everything that a door can ask of the engine. Every call names the user. Another user's id is refused exactly like an
 * unknown one (`session-not-found`).
 */
export interface Engine {
  execute<C extends Command>(command: C): Promise<CommandResults[C['type']]>

  readSession(userId: UserId, sessionId: SessionId, as?: ReadAs): Promise<SessionView>
  /** Newest first. `next` is the last id of a full page; pass it as `before`. */
  listSessions(userId: UserId, page: { readonly before?: SessionId; readonly limit: number }): Promise<SessionPage>
  /** Pinned sessions first by default, then by last change. A page of large sessions has fewer than `limit`. */
  findSessions(userId: UserId, search: SessionSearch): Promise<SessionMatches>
  /**
   * `full`: the complete conversation as it is now, read from the log page by page as its messages are taken.
   * `compacted`: the model's context.
   */
  streamHistory(userId: UserId, sessionId: SessionId, view: HistoryView): Promise<HistoryMessages>
  /** The calls that the session waits for, with everything that the person who answers should see. */
  readWaiting(userId: UserId, sessionId: SessionId): Promise<readonly WaitingCall[]>
  /** The inputs that wait for the active turn to end, oldest first. */
  readQueue(userId: UserId, sessionId: SessionId): Promise<readonly QueuedInput[]>
  readBlob(userId: UserId, sessionId: SessionId, blob: BlobRead): Promise<Blob | undefined>

  /**
   * Calls `reader` with everything after the cursor `after`, first from the log, then live, in one order without gaps or
   * repeats. A reader that joins in the middle of a step first gets the text so far as deltas from the cursor's offset.
   * Resolves when the past has been delivered. The reader is called synchronously and must not throw.
   */
  attach(userId: UserId, sessionId: SessionId, attach: AttachRequest): Promise<Attachment>

  /**
   * Until the returned function is called, only this process runs the session, because what it needs is here: an editor, or
   * servers that the editor brought. If another live process holds the session, the turns run there.
   */
  holdHere(sessionId: SessionId): Promise<() => void>

  /**
   * Continues the turns of dead processes. `all`: every turn, immediately. `used`: only sessions that are accessed and
   * whose agent is known. Use this for a short-lived process that may lack the server's configuration.
   */
  start(takeOver?: 'all' | 'used'): Promise<void>
  /**
   * Refuses new commands, gives running turns `graceMs` to finish, and leaves the rest to the next owner. Idempotent.
   */
  stop(graceMs: number): Promise<void>
}

export type HistoryView = 'full' | 'compacted'
export type HistoryMessages = Iterable<ConversationMessage> | AsyncIterable<ConversationMessage>

/** `guest`: also another user's session, if its owner shares it. Read-only. */
export type ReadAs = 'owner' | 'guest'

export interface BlobRead {
  readonly hash: string
  /** Default: `owner`. */
  readonly as?: ReadAs
}

export interface AttachRequest {
  readonly after: Cursor
  readonly reader: SessionReader
  /** Default: `owner`. */
  readonly as?: ReadAs
}

export interface SessionSearch {
  /** Only sessions that work in this directory. */
  readonly directory?: string
  /** A part of the title, or words from the title or the conversation. */
  readonly text?: string
  /** Leaves out sessions without any message. */
  readonly isStarted?: true
  /** Default: `pinned-first`. */
  readonly order?: 'pinned-first' | 'newest-first'
  readonly offset: number
  readonly limit: number
}

export interface SessionMatches {
  readonly sessions: readonly SessionView[]
  /** The total number of matches. */
  readonly total: number
  /** Some texts were not searched. */
  readonly isPartial?: true
}

export interface SessionPage {
  /** Fewer than asked for if they are large. */
  readonly sessions: readonly SessionView[]
  readonly next?: SessionId
}
