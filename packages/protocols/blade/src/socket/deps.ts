import type {
  AgentCatalog,
  Digest,
  Engine,
  KeptStore,
  LogEntry,
  RecordedEvent,
  SessionId,
  SessionView,
  UserId,
} from '@polylogue/engine'
import type { FollowMessage, JsonLimits } from '@polylogue/kit'
import type { IncomingMessage } from 'node:http'
import type { ProjectionMarks } from '../projection/projection-marks.ts'
import type { Describe } from '../projection/scene.ts'
import type { UnknownConnectionsOptions } from './unknown-connections.ts'

/** The connected user. `revoked` aborts when the key is revoked, which closes the socket. */
export interface SocketCaller {
  readonly userId: UserId
  readonly keyId: string
  readonly revoked: AbortSignal
  /** Sees this session and no other, and sends plain messages only. */
  readonly onlySession?: string
}

export interface SocketLimits {
  /** Largest message of an authenticated client. */
  readonly messageBytes: number
  /** Largest amount of data before authentication. */
  readonly unauthenticatedBytes: number
  /** How much may wait for a client that does not read. */
  readonly outBufferBytes: number
  /** Limits of one payload. Images and files may be as long as a message. */
  readonly json: JsonLimits
}

export interface BladeSocketDeps {
  readonly engine: Engine
  readonly agents: Pick<AgentCatalog, 'find'>
  readonly digest: Digest
  readonly describe: Describe
  /** Shared with the reader of rows. Absent: every subscription reads a log from its start. */
  readonly marks?: ProjectionMarks
  readonly limits: SocketLimits
  /**
   * `token` comes from the handshake; without one, the header or cookie of the request counts. Returns `undefined` when the
   * client may not connect.
   */
  authenticate(incoming: IncomingMessage, token: string | undefined): Promise<SocketCaller | undefined>
  /** Lets the server count and limit sockets. */
  readonly sockets: SocketWatch
  /** How many unauthenticated connections a client may have. Absent: no limit. */
  readonly unknown?: UnknownConnectionsOptions
  /** Stores subscriptions, so that clients recover them after a crash. Absent: they are lost. */
  readonly kept?: KeptStore
  /** Starts the id of every connection, so that another node knows where it belongs. Without dots. */
  readonly nodeId?: string
  /** Stores an uploaded file in the session's workspace. Absent: files are refused. */
  attachFile?(file: AttachedFile): Promise<KeptFile>
  /** Absent: nobody traces messages. */
  readonly follow?: FollowMessage
  log(entry: LogEntry): void
}

/** A connected socket, one entry for each subscribed session. */
export interface ConnectedClient {
  readonly userId: UserId
  readonly keyId: string
  /** Absent: no subscription. */
  readonly sessionId?: SessionId
  /** The last recorded event of the session that the client confirmed. */
  readonly cursor?: number
  readonly since: number
}

/** A change that a session list shows, from any door or schedule. */
export type SessionChange =
  | {
      readonly type: 'stored'
      readonly sessionId: SessionId
      readonly events: readonly RecordedEvent[]
      /** The session after these events. */
      view(): SessionView
    }
  | { readonly type: 'deleted'; readonly sessionId: SessionId; readonly userId: UserId }

export interface SocketWatch {
  /** Returns a function to call when the socket closes, or `undefined` when there are too many sockets. */
  admit(caller: SocketCaller): (() => void) | undefined
  /** Counts what a client has sent. Returns for how many milliseconds to read no more of it. Absent: no limit. */
  took?(caller: SocketCaller, bytes: number): number
  /** A client that did not read was disconnected. */
  dropped(): void
}

export interface KeptFile {
  /** Relative to the workspace. */
  readonly path: string
  /** Deletes the file because its message was refused. Contract: never rejects. */
  remove(): Promise<void>
}

export interface AttachedFile {
  readonly userId: UserId
  readonly sessionId: SessionId
  readonly name: string
  readonly bytes: Uint8Array
}
