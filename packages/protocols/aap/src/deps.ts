import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AgentCatalog, Clock, Digest, Engine, SessionId, UserId } from '@polylogue/engine'
import type { JsonLimits } from '@polylogue/kit'

/** Who is asking. `revoked` aborts when the key is revoked: open streams end then. */
export interface Caller {
  readonly userId: UserId
  readonly keyId: string
  readonly revoked: AbortSignal
}

export interface AapLimits {
  /** Of a body that may carry images: creating a session and turns. */
  readonly bodyBytes: number
  readonly smallBodyBytes: number
  readonly json: JsonLimits
  readonly outBufferBytes: number
  readonly pageSize: number
}

/** For whoever mounted the door, to count its open streams and to bound them. */
export interface StreamWatch {
  /** Before a request that stays open until a turn stops, and before it has any effect. May throw like `authenticate`. */
  admit(caller: Caller, outgoing: ServerResponse): void
  /** The admitted request reads this session until its response closes. */
  attached(caller: Caller, sessionId: SessionId, outgoing: ServerResponse): void
  /** A reader that did not read was let go. */
  dropped(): void
}

export interface AapDeps {
  readonly engine: Engine
  readonly agents: AgentCatalog
  /** `undefined`: 401. What it throws goes to whoever mounted the door. */
  authenticate(request: Request, incoming: IncomingMessage): Promise<Caller | undefined>
  readonly clock: Clock
  readonly digest: Digest
  readonly heartbeatMs: number
  readonly limits: AapLimits
  readonly streams: StreamWatch
}
