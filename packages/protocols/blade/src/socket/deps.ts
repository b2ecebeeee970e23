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
import type { JsonLimits } from '@polylogue/kit'
import type { IncomingMessage } from 'node:http'
import type { Describe } from '../projection/scene.ts'
import type { UnknownConnectionsOptions } from './unknown-connections.ts'

/** Who is connected. `revoked` aborts when the key is revoked: its sockets end then. */
export interface SocketCaller {
  readonly userId: UserId
  readonly keyId: string
  readonly revoked: AbortSignal
}

export interface SocketLimits {
  /** Of one message, once its sender is known. */
  readonly messageBytes: number
  /** Of all that comes before. */
  readonly unauthenticatedBytes: number
  /** What may wait for a client that does not read. */
  readonly outBufferBytes: number
  /** Of one payload. Images and files are as long as a message may be. */
  readonly json: JsonLimits
}

export interface BladeSocketDeps {
  readonly engine: Engine
  readonly agents: Pick<AgentCatalog, 'find'>
  readonly digest: Digest
  readonly describe: Describe
  readonly limits: SocketLimits
  /**
   * `token`: what the client shows in its handshake; without one, the request's own header or cookie counts. `undefined`:
   * it may not connect.
   */
  authenticate(incoming: IncomingMessage, token: string | undefined): Promise<SocketCaller | undefined>
  /** For whoever mounted the door, to count its sockets and to bound them. */
  readonly sockets: SocketWatch
  /** How many connections a client may have before it says who it is. Absent: any number. */
  readonly unknown?: UnknownConnectionsOptions
  /** Where subscriptions are stored, so that a client that reconnects after a crash hears them. Absent: they are lost. */
  readonly kept?: KeptStore
  /** Stores a file that a user sent in the session's workspace. Absent: files are refused. */
  attachFile?(file: AttachedFile): Promise<KeptFile>
  log(entry: LogEntry): void
}

/** A connected socket, once for each session that it is subscribed to. */
export interface ConnectedClient {
  readonly userId: UserId
  readonly keyId: string
  /** Absent: subscribed to none. */
  readonly sessionId?: SessionId
  readonly since: number
}

/** A list of sessions shows something else, whichever door or schedule caused it. */
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
  /** Answers what to call when the socket has gone; `undefined`: there are too many already. */
  admit(caller: SocketCaller): (() => void) | undefined
  /** A client that did not read was let go. */
  dropped(): void
}

export interface KeptFile {
  /** Relative to the workspace. */
  readonly path: string
  /** Deletes it again, because its message was refused. Contract: never rejects. */
  remove(): Promise<void>
}

export interface AttachedFile {
  readonly userId: UserId
  readonly sessionId: SessionId
  readonly name: string
  readonly bytes: Uint8Array
}
