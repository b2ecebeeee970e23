import type { SessionId } from '@polylogue/engine'
import type { ClientAbilities } from '../client-abilities.ts'
import type { AcpConnectionOptions, AcpDeps } from '../deps.ts'
import type { OutQueue } from '../rpc/out-queue.ts'
import type { RpcPeer } from '../rpc/rpc-peer.ts'

/** When the history is sent: while the session opens, when it is live, or never. */
export type HistoryReplay = 'now' | 'later' | 'never'

/** The parts that a session on a connection shares. */
export interface SessionParts {
  readonly deps: AcpDeps
  readonly options: AcpConnectionOptions
  readonly peer: RpcPeer
  readonly out: OutQueue
  readonly sessionId: SessionId
  /** The client's abilities when it opened the session. */
  readonly abilities: ClientAbilities
  readonly extension: { isUnknown: boolean }
  /** The last event of the history; later events are live. */
  readonly pastSeq: number
  readonly past: HistoryReplay
  /** Called when the session was deleted or the engine stops. */
  closed(): void
}
