import type { IncomingMessage, ServerResponse } from 'node:http'
import type {
  AgentCatalog,
  AgentDefinition,
  Clock,
  Digest,
  Engine,
  OfferedModel,
  SessionId,
  UserId,
} from '@polylogue/engine'
import type { BodyLimits, JsonLimits, OpenReads } from '@polylogue/kit'

/** The user and key of a request. `revoked` aborts when the key is revoked, which ends open streams. */
export interface Caller {
  readonly userId: UserId
  readonly keyId: string
  readonly revoked: AbortSignal
}

export interface AapLimits {
  /** The largest body that may carry images: creation and turns. */
  readonly bodyBytes: number
  readonly smallBodyBytes: number
  readonly json: JsonLimits & Pick<BodyLimits, 'large'>
  readonly outBufferBytes: number
  readonly pageSize: number
}

/** Lets the server count and limit open streams. */
export interface StreamWatch {
  /** Called before a request that stays open until a turn stops has any effect. May throw like `authenticate`. */
  admit(caller: Caller, outgoing: ServerResponse): void
  /** The admitted request reads this session until its response closes. */
  attached(caller: Caller, sessionId: SessionId, outgoing: ServerResponse): void
  /** Tells how far the stream of an attached request has got: the last recorded event that was written. */
  reading(outgoing: ServerResponse, seq: () => number): void
  /** A client was disconnected because it did not read. */
  dropped(): void
}

export interface AapDeps {
  readonly engine: Engine
  readonly agents: AgentCatalog
  /** The models that clients may choose for the sessions of this agent. Empty: they cannot choose. Cheap. */
  modelsFor(agent: AgentDefinition): readonly OfferedModel[]
  /** `undefined` gives 401. Errors that it throws are passed on to the server. */
  authenticate(incoming: IncomingMessage): Promise<Caller | undefined>
  readonly clock: Clock
  readonly digest: Digest
  readonly heartbeatMs: number
  readonly limits: AapLimits
  readonly streams: StreamWatch
  readonly reads: OpenReads
}
