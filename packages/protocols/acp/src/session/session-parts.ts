import type { SessionId } from '@polylogue/engine'
import type { ClientAbilities } from '../client-abilities.ts'
import type { AcpConnectionOptions, AcpDeps } from '../deps.ts'
import type { OutQueue } from '../rpc/out-queue.ts'
import type { RpcPeer } from '../rpc/rpc-peer.ts'

/** When the past is told: while the session is opened, as soon as the client knows it, or not at all. */
export type PastTelling = 'now' | 'later' | 'never'

/** What a session on a connection is made of. */
export interface SessionParts {
  readonly deps: AcpDeps
  readonly options: AcpConnectionOptions
  readonly peer: RpcPeer
  readonly out: OutQueue
  readonly sessionId: SessionId
  /** As the client had them when it opened the session. */
  readonly abilities: ClientAbilities
  readonly extension: { isUnknown: boolean }
  /** The last event of the past. */
  readonly pastSeq: number
  readonly past: PastTelling
  /** The session was deleted, or its engine stops. */
  closed(): void
}
