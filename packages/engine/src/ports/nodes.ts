import type { SessionId, UserId } from '../ids.ts'

/**
 * The processes that share a storage. Each holds one lease, which covers every session that it has claimed: when the
 * lease ends, others may claim those sessions. Times are those of the storage, because the clocks of nodes differ.
 */
export interface Nodes {
  /** Enters this node, or extends its lease. Removes nodes whose lease ended long ago. Returns the time of the storage. */
  beat(node: NodeBeat, leaseMs: number): Promise<number>
  /** Ends the lease and removes the node. */
  leave(nodeId: string): Promise<void>
  /** All nodes, oldest first. */
  list(): Promise<readonly KnownNode[]>
  /** How many sessions of this user run on any node, or wait for one. */
  countTurns(userId: UserId): Promise<number>
  backlog(): Promise<Backlog>
  /**
   * While this node lives, only it may claim the session, and the directories of the session are on its machine. `false`:
   * the session is bound to another node that lives.
   */
  bind(sessionId: SessionId, node: Pick<NodeFacts, 'nodeId' | 'machine'>): Promise<boolean>
  unbind(sessionId: SessionId, nodeId: string): Promise<void>
  placeOf(sessionId: SessionId): Promise<SessionPlace>
  /** The level of events that every live node can read. */
  minLevel(): Promise<number>
  /** The level that a node needs to read the events of a session. */
  levelOf(sessionId: SessionId): Promise<number>
  /** The sessions that nodes have claimed, or those of one node, by session id. */
  leases(query: { readonly nodeId?: string; readonly limit: number }): Promise<readonly SessionLease[]>
}

/**
 * `all` serves clients and runs turns. `web` serves clients only, `worker` runs turns only. An `editor` runs the sessions
 * of its editor. An `errand` is a command of the CLI.
 */
export const NODE_ROLES = ['all', 'web', 'worker', 'editor', 'errand'] as const
export type NodeRole = (typeof NODE_ROLES)[number]

export interface NodeFacts {
  /** Unique for each start of a process. Also the owner of its leases. */
  readonly nodeId: string
  readonly role: NodeRole
  readonly version: string
  /** The name of the machine. */
  readonly machine: string
  readonly pid: number
  /** Which recorded events it can read. Absent: 1. */
  readonly level?: number
  /** Where other nodes reach it. */
  readonly url?: string
}

export interface NodeBeat extends NodeFacts {
  /** How many more turns of others it could run now. Absent: it runs none of them. */
  readonly room?: number
}

/** The sessions that want a runner and have none. */
export interface Backlog {
  readonly waiting: number
  /** Since when the first of them has wanted one: it may have had one before. */
  readonly oldestMs: number
  /** A live node could run more turns, so what waits longer waits for something else. */
  readonly hasRoom: boolean
}

export interface KnownNode extends NodeFacts {
  readonly startedAt: number
  readonly leaseUntil: number
  /** Its lease has not ended. */
  readonly isAlive: boolean
  /** The number of sessions that it has claimed. */
  readonly sessions: number
}

/** Where a session may run. Absent: anywhere. */
export interface SessionPlace {
  /** The node that it is bound to. It may be dead. */
  readonly runsOn?: string
  /** The machine with its directories. Others may claim it only if no node of that machine lives. */
  readonly machine?: string
}

export interface SessionLease {
  readonly sessionId: SessionId
  readonly nodeId: string
  readonly epoch: number
}
