import type { IncomingMessage } from 'node:http'
import type { AgentCatalog, Clock, Digest, Engine, UserId } from '@polylogue/engine'

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
  readonly jsonDepth: number
  readonly outBufferBytes: number
  readonly pageSize: number
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
}
