import type { SeedMessage } from '../content.ts'
import type { BlockDelta, Cursor, ToolProgress } from '../events/live-event.ts'
import type { ClientTool, Preset, Recorded, ToolAccess, TurnOutcome } from '../events/recorded-event.ts'
import type { SessionId, ToolCallId, UserId } from '../ids.ts'
import type { Blob } from '../ports/event-store.ts'
import type { Command, CommandResults } from './command.ts'

/**
 * All that a door may ask of the engine. Every call names the user: an id of somebody else's is refused exactly like
 * an unknown one (`session-not-found`).
 */
export interface Engine {
  execute<C extends Command>(command: C): Promise<CommandResults[C['type']]>

  readSession(userId: UserId, sessionId: SessionId): Promise<SessionView>
  /** Newest first. `next` is the last id of a full page; pass it as `before`. */
  listSessions(userId: UserId, page: { readonly before?: SessionId; readonly limit: number }): Promise<SessionPage>
  /** `full`: all that was said, nothing left out. `compacted`: what the model is given. */
  readHistory(userId: UserId, sessionId: SessionId, view: 'full' | 'compacted'): Promise<readonly SeedMessage[]>
  readBlob(userId: UserId, sessionId: SessionId, hash: string): Promise<Blob | undefined>

  /**
   * Calls `reader` with everything after the cursor, first from the log, then live, in one order without gap or
   * repeat. A reader that comes in the middle of a step first gets the text so far as deltas from the cursor's offset.
   * Resolves when the past has been delivered. The reader is called synchronously and must not throw.
   */
  attach(userId: UserId, sessionId: SessionId, after: Cursor, reader: SessionReader): Promise<Attachment>

  /**
   * Goes on with what a dead process left. `all`: at once, every turn. `used`: only in sessions that somebody turns to,
   * and only where their agent is known; for a process that came for one errand and may lack the server's configuration.
   */
  start(takeOver?: 'all' | 'used'): Promise<void>
  /** Stops taking commands, gives running turns `graceMs` to finish, leaves the rest for the next owner. Idempotent. */
  stop(graceMs: number): Promise<void>
}

export interface SessionReader {
  /**
   * `enough`, said while the past is read, ends the reading: nothing more is told, and the attachment is a detached one.
   * Live, it means nothing.
   */
  recorded(recorded: Recorded): void | 'enough'
  delta(delta: BlockDelta): void
  /** Output of running tools, for readers that want it. Who comes late first gets the newest part of what there was. */
  progress?(progress: ToolProgress): void
  /** Nothing follows. */
  closed(reason: 'deleted' | 'stopping'): void
}

export interface Attachment {
  /** Idempotent. The reader is not called again. */
  detach(): void
}

export interface SessionPage {
  readonly sessions: readonly SessionView[]
  readonly next?: SessionId
}

export interface SessionView {
  readonly sessionId: SessionId
  readonly userId: UserId
  readonly agent: string
  readonly access: ToolAccess
  readonly clientTools: readonly ClientTool[]
  /** As set by clients; secrets read `***`. */
  readonly options: { readonly [name: string]: string }
  readonly preset: Preset
  /** First user text, at most 60 characters. */
  readonly title?: string
  readonly status: 'idle' | 'running' | 'waiting'
  readonly lastOutcome?: TurnOutcome
  /** Calls that wait for a client or a human. */
  readonly waitingCalls: readonly ToolCallId[]
  /** The last recorded event. */
  readonly lastSeq: number
  readonly createdAt: number
  readonly updatedAt: number
}
