import type { Recorded, SessionId, UserId } from '@polylogue/engine'
import type { HttpApp, DirectRoute, QuickLane } from '../http/request-listener.ts'
import type { UpgradeRoute } from '../http/upgrade-listener.ts'

/**
 * One protocol in front of the engine. A door is opened once per server; application, listeners and start-up know only
 * this interface. A new door is one package, one file in this folder and one entry in `DOORS`.
 */
export interface Door {
  /** As the status lists it. */
  readonly name: string
  /** The door owns these paths and everything below them. The longest prefix wins. */
  readonly paths: readonly string[]
  /** Loads what its first request needs. Called before the server is ready, unless an editor alone is expected. */
  prepare?(): Promise<void>
  /** Routes with their whole paths. Called once for each listener, before its first request is answered. */
  routes?(listener: ListenerKind): HttpApp | Promise<HttpApp>
  /** Of its routes, the paths that also answer while the server starts and stops. */
  readonly inEveryPhase?: readonly string[]
  /** Connections over TCP that switch to another protocol. */
  readonly upgrade?: UpgradeRoute
  /** Requests over TCP that the door answers on Node's own objects, without the router. */
  readonly direct?: DirectRoute
  /** Frequent requests among its routes, for all listeners. They are answered without the router. */
  readonly quick?: QuickLane
  /** Byte streams of other processes on this machine. */
  readonly pipe?: DoorPipe
  /** The JSON body for a refusal of a request that the door's own routes did not answer. */
  refuse(refusal: Refusal): object
  /** The clients that are attached now. */
  clients(): readonly AttachedClient[]
  /** Shows a session's log as this door's clients get it. Nothing is sent. */
  present?(session: PresentedSession): Presentation
  /** Reads a page of a session's chat, also for a user with whom it is shared. At most one door has this. */
  readRows?(asked: RowsAsked): Promise<RowPage>
  /** Accepts nothing new. Resolves when the open connections have ended in order. Idempotent. */
  end(): Promise<void>
  /** Cuts what is still open. Idempotent. */
  close(): Promise<void>
}

/** `public`: TCP, for callers with a key. `owner`: the owner socket, for whoever can read the data directory. */
export type ListenerKind = 'public' | 'owner'

export interface Refusal {
  readonly status: number
  readonly message: string
  /** The engine's code, where the engine refused. */
  readonly code?: string
  /** Under which the cause is in the log. */
  readonly errorId?: string
}

export interface AttachedClient {
  readonly userId: UserId
  readonly keyId?: string
  /** The session that the client reads. Absent: connected, but on no session. */
  readonly sessionId?: SessionId
  readonly since: number
  /** The name that the client gave itself. */
  readonly client?: string
  /** The last recorded event of the session that the client got. Absent where the door cannot tell. */
  readonly cursor?: number
}

export interface RowsAsked {
  readonly userId: UserId
  readonly sessionId: SessionId
  /** Default: the session's own agent. */
  readonly loop?: string | undefined
  readonly before?: number | undefined
  readonly of?: string | undefined
  readonly limit: number
  readonly at?: number | undefined
}

export interface RowPage {
  readonly rows: readonly {
    readonly row?: number
    readonly seq: number
    readonly run?: string
    readonly via?: string
    readonly turn: { readonly turn_id: string }
  }[]
  readonly total: number
  readonly seq: number
  readonly patch: number
}

export interface PresentedSession {
  readonly userId: UserId
  readonly sessionId: SessionId
}

/** A message depends on the events before it, so a presentation reads a log from its first event. */
export interface Presentation {
  /** Contract: called with the events in order, from the first, and not before the last call has resolved. */
  recorded(recorded: Recorded): Promise<readonly PresentedMessage[]>
  /** No more events are at hand: returns the messages that waited for the next one. */
  settle(): readonly PresentedMessage[]
}

export interface PresentedMessage {
  /** Of the event, method or frame. */
  readonly name: string
  /** The resume cursor, where the wire has one. */
  readonly id?: string
  /** The JSON value on the wire. */
  readonly body: unknown
}

/** A process of the owner connects over the owner socket, or from inside this process, always as user `local`. */
export interface DoorPipe {
  /**
   * `handshake` is what the other process wrote before its first byte. `connect` is called when the door accepts it, at
   * most once. Throws `HttpRefusal`.
   */
  open(handshake: string, connect: () => ByteStreams): Promise<void>
  /** Whether work that came through a pipe is still running. */
  isBusy(): boolean
}

export interface ByteStreams {
  readonly input: ReadableStream<Uint8Array>
  readonly output: WritableStream<Uint8Array>
}
