import type { EncodedEvent } from '../events/codec.ts'
import type { SessionId, UserId } from '../ids.ts'
import type { EventStore, Snapshot } from './event-store.ts'
import type { KeptStore } from './kept-store.ts'
import type { KeyStore } from './key-store.ts'
import type { MarkStore } from './mark-store.ts'
import type { MemoryStore } from './memory-store.ts'
import type { Dispatcher, JobProblem } from './dispatcher.ts'
import type { LiveBus } from './live-bus.ts'
import type { KnownNode, Nodes } from './nodes.ts'
import type { RuleStore } from './rule-store.ts'
import type { ScheduleStore } from './schedule-store.ts'
import type { SignInStore } from './sign-in-store.ts'
import type { TransferRow } from './transfer.ts'
import type { UsageStore } from './usage-store.ts'
import type { UserStore } from './user-store.ts'

/** All stores of a server. Closing it closes each of them. */
export interface Stores extends Storage {
  /** `exclusive`: this process is the only one that writes. `shared`: other processes may use the same storage. */
  readonly mode: 'exclusive' | 'shared'
  readonly events: EventStore
  readonly keys: KeyStore
  readonly users: UserStore
  readonly rules: RuleStore
  readonly memories: MemoryStore
  readonly usage: UsageStore
  readonly schedules: ScheduleStore
  readonly signIns: SignInStore
  readonly kept: KeptStore
  readonly marks: MarkStore
  /** Present if the storage is shared. */
  readonly cluster?: SharedStorage
  /** Opening created the storage. */
  readonly isNew: boolean
  /** Commits queued writes. Idempotent. */
  close(): Promise<void>
}

/** What a storage offers the processes that share it. */
export interface SharedStorage {
  readonly nodes: Nodes
  /**
   * Enters values of a setting that all nodes must have in common, such as the ids of their secret keys. `false`: other nodes
   * have entered values, and none of these. Nothing is entered then.
   */
  agree(setting: string, values: readonly string[]): Promise<boolean>
  /** The values of a setting that nodes have entered. */
  valuesOf(setting: string): Promise<readonly string[]>
  /** The listener is called when the storage may have lost its newest commits, as after a failover. */
  onReplaced(listener: () => void): void
  /** The messages of one node, over the storage itself. The caller closes it. */
  openBus(nodeId: string): LiveBus
  /** The jobs that bring sessions to their runners. The caller closes it. */
  openDispatcher(report: (problem: JobProblem) => void): Dispatcher
}

/** A storage, identified by its address. It need not be open. Inspecting it never creates or changes anything. */
export interface Storage {
  describe(): Promise<StorageDescription>
  /**
   * Opens a read-only view, even while another process owns the storage. Rejects with a `StorageFault` of kind `broken`
   * if the storage has another format or is too damaged to read. Must not be called if `describe()` says that the
   * storage does not exist.
   */
  inspect(): Promise<StorageInspection>
  /**
   * Writes a consistent copy of a local storage to a new file, even while another process owns the storage. Absent when the
   * storage is on another machine, whose own tools make copies.
   */
  copyTo?(file: string): Promise<void>
  /** Reads all rows that another storage can be filled with, as they are at one moment. The storage must exist. */
  dump(): AsyncIterable<TransferRow>
  /**
   * Creates the storage from the rows of another one, in one transaction. Rejects with a sentence if the storage is in
   * use or already holds sessions or keys.
   */
  fill(rows: AsyncIterable<TransferRow>): Promise<void>
}

export interface StorageDescription {
  /** The value for `--database`. Never contains a password. */
  readonly url: string
  /** The display name: a file, or a host and a database. */
  readonly name: string
  /** Name and version of the database software, such as `Example 1.2`. */
  readonly software: string
  /** Why this version of the software may lose data, as a sentence that names the remedy. */
  readonly unsafe?: string
  readonly exists: boolean
  /** The local files that belong to the storage, whether they exist or not. Tools must not touch them. */
  readonly files: readonly string[]
  /** The directory that needs free space. Absent when the storage is on another machine. */
  readonly directory?: string
  readonly bytes: number
  /** The size of the write-ahead log. */
  readonly logBytes: number
}

/** A consistent snapshot. Any call may reject with a database error if the file is damaged. */
export interface StorageInspection {
  readonly schemaVersion: number
  /** The problems that the database software itself reports. Empty: none. */
  integrity(): Promise<readonly string[]>
  sessions(): AsyncIterable<StoredSession>
  /** In order of `seq`. When the checksum of an event is wrong, yields the event and then throws. */
  events(sessionId: SessionId): AsyncIterable<StoredEvent>
  snapshot(sessionId: SessionId): Promise<Snapshot | undefined>
  blobs(sessionId: SessionId): AsyncIterable<{ readonly hash: string; readonly bytes: Uint8Array }>
  secrets(): AsyncIterable<StoredSecret>
  /** Sessions that have events but no session row, and were not deleted. */
  orphans(): Promise<readonly SessionId[]>
  /** Keys that are neither revoked nor expired. */
  keys(): Promise<readonly StoredKey[]>
  damagedMemories(): Promise<readonly number[]>
  /** Schedules with a damaged row, or with a damaged slot row. */
  damagedSchedules(): Promise<readonly string[]>
  /** Absent when one process owns the storage. */
  shared?(): Promise<SharedState>
  close(): Promise<void>
}

/** The state of a database that several processes share. */
export interface SharedState {
  /** The settings that decide what survives a crash, and how many processes fit. */
  readonly settings: readonly { readonly name: string; readonly value: string }[]
  /** It replays another server and accepts no writes. */
  readonly isStandby: boolean
  /** A pooler answers in place of the database. */
  readonly isPooled: boolean
  readonly connections: number
  readonly nodes: readonly KnownNode[]
  /** The turns that wait for a runner. */
  readonly backlog: { readonly waiting: number; readonly oldestMs: number }
  /** Sessions that nobody claims any more, because each of several runners died before it had recorded anything. The first hundred. */
  readonly parked: readonly SessionId[]
  readonly standbys: readonly Standby[]
  /** What `agree` has recorded, by setting. */
  readonly agreed: ReadonlyMap<string, readonly string[]>
}

export interface Standby {
  readonly name: string
  /** Commits wait for it. */
  readonly isSynchronous: boolean
  /** How much of the log it has not on its disk yet. */
  readonly lagBytes: number
}

export interface StoredSession {
  readonly sessionId: SessionId
  readonly lastSeq: number
}

export interface StoredEvent extends EncodedEvent {
  readonly seq: number
  readonly at: number
}

export interface StoredSecret {
  readonly sessionId: SessionId
  readonly name: string
  readonly sealed: Uint8Array
}

export interface StoredKey {
  readonly hash: string
  readonly kind: string
  readonly userId: UserId
}
