import type { CallInput, LiveBatch, StepRetry, ToolProgress } from '../events/live-event.ts'
import type { SessionId, TurnId, UserId } from '../ids.ts'

/**
 * Carries hints between the processes that share a storage. A message may be lost, doubled, late or out of order: the
 * storage is the truth, and a message only says when to look at it. Events are announced after they are durable.
 */
export interface LiveBus {
  /** Sends to one node, or to all other nodes. Never throws. Order is kept for each receiver unless messages are lost. */
  send(to: string, message: BusMessage): void
  /** The listener must not throw. */
  onMessage(listener: BusListener): void
  /** While it is `false`, nothing arrives, and whoever waits for messages must ask the storage. */
  readonly isUp: boolean
  /** Called each time the bus is up again: messages may have been lost meanwhile. */
  onUp(listener: () => void): void
  close(): Promise<void>
}

export type BusListener = (from: string, message: BusMessage) => void

/** The receiver that stands for all other nodes. */
export const ALL_NODES = 'all'

export type BusMessage =
  /** The sender runs this session now. Nodes with readers of it answer with `watch`. */
  | { readonly type: 'runs'; readonly sessionId: SessionId; readonly seq: number }
  /** The sender has readers of a session that the receiver runs. Repeated: the sender missed something. */
  | { readonly type: 'watch'; readonly sessionId: SessionId }
  | { readonly type: 'unwatch'; readonly sessionId: SessionId }
  /** The log of the session has reached this seq. */
  | { readonly type: 'moved'; readonly sessionId: SessionId; readonly seq: number }
  | { readonly type: 'deleted'; readonly sessionId: SessionId }
  /** The turn is cancelled, which could not be recorded yet. Its runner stops. */
  | { readonly type: 'cancel'; readonly sessionId: SessionId; readonly turnId: TurnId; readonly reason: string }
  /** Lists of sessions show these events of the session. Without a range, it was deleted. */
  | {
      readonly type: 'listed'
      readonly sessionId: SessionId
      readonly userId: UserId
      readonly range?: { readonly after: number; readonly count: number }
    }
  /** What limits count at the sender. */
  | {
      readonly type: 'counts'
      /** Since the message before. */
      readonly taken: readonly LimitCount[]
      /** What is open now. */
      readonly open: readonly LimitCount[]
    }
  /** Who reads this session at the receiver? Every node answers with `clients`, also if nobody does. */
  | { readonly type: 'ask-clients'; readonly sessionId: SessionId }
  | { readonly type: 'clients'; readonly sessionId: SessionId; readonly clients: readonly SessionClient[] }
  /** Something that readers of the session see live. `isPast`: the receiver may have it already. */
  | { readonly type: 'live'; readonly sessionId: SessionId; readonly live: SharedLive; readonly isPast?: true }

/** Somebody who reads a session through a door. */
export interface SessionClient {
  readonly door: string
  /** The name that the client gave itself. */
  readonly client?: string | undefined
  readonly key?: string | undefined
  readonly since: number
  /** The last recorded event that the client got. Absent where the door cannot tell. */
  readonly cursor?: number | undefined
}

/** Of whom a limit counts how many. */
export type LimitCount = readonly [limit: string, name: string, count: number]

/** Batches carry the numbers of the runner. */
export type SharedLive = LiveBatch | ToolProgress | CallInput | StepRetry
