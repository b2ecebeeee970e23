import type { EncodedEvent } from '../events/codec.ts'
import type { SessionId, UserId } from '../ids.ts'
import type { EventStore, Snapshot } from './event-store.ts'
import type { KeptStore } from './kept-store.ts'
import type { KeyStore } from './key-store.ts'
import type { MemoryStore } from './memory-store.ts'
import type { RuleStore } from './rule-store.ts'
import type { ScheduleStore } from './schedule-store.ts'
import type { SignInStore } from './sign-in-store.ts'
import type { UsageStore } from './usage-store.ts'

/** Everything that a server keeps. Closing it closes every store in it. */
export interface Stores extends Storage {
  /** `exclusive`: this process is the only one that writes. `shared`: other processes may use the same storage. */
  readonly mode: 'exclusive' | 'shared'
  readonly events: EventStore
  readonly keys: KeyStore
  readonly rules: RuleStore
  readonly memories: MemoryStore
  readonly usage: UsageStore
  readonly schedules: ScheduleStore
  readonly signIns: SignInStore
  readonly kept: KeptStore
  /** Opening the storage created it. */
  readonly isNew: boolean
  /** Commits what is queued. Idempotent. */
  close(): Promise<void>
}

/** A storage by its address. It need not be open, and asking never creates or changes anything. */
export interface Storage {
  describe(): Promise<StorageDescription>
  /**
   * Opens a read-only view beside any owner. Rejects with a `StorageFault` of kind `broken` when the storage is not
   * one of ours or is too damaged to read. Must not be called while `describe()` says that it does not exist.
   */
  inspect(): Promise<StorageInspection>
}

export interface StorageDescription {
  /** What `--database` takes. Never holds a password. */
  readonly url: string
  /** What people call it: a file, or a host and a database. */
  readonly name: string
  /** Name and version of the database software, such as `Example 1.2`. */
  readonly software: string
  /** Why this version of the software may lose data, in a sentence that names the remedy. */
  readonly unsafe?: string
  readonly exists: boolean
  /** The files of this machine that belong to it, whether they exist or not. Tools must not touch them. */
  readonly files: readonly string[]
  /** Where free space is needed; absent when the storage is on another machine. */
  readonly directory?: string
  readonly bytes: number
  /** The part of it that waits to be merged: a write-ahead log. */
  readonly logBytes: number
}

/** A consistent view of one moment. Any call may reject with what the database says about a damaged file. */
export interface StorageInspection {
  readonly schemaVersion: number
  /** What the database software itself finds wrong; empty = nothing. */
  integrity(): Promise<readonly string[]>
  sessions(): AsyncIterable<StoredSession>
  /** In the order of `seq`. Throws at an event whose checksum is wrong, after yielding it. */
  events(sessionId: SessionId): AsyncIterable<StoredEvent>
  snapshot(sessionId: SessionId): Promise<Snapshot | undefined>
  blobs(sessionId: SessionId): AsyncIterable<{ readonly hash: string; readonly bytes: Uint8Array }>
  secrets(): AsyncIterable<StoredSecret>
  /** Sessions that have events but no row of their own, and were not deleted. */
  orphans(): Promise<readonly SessionId[]>
  /** Keys that are neither revoked nor expired. */
  keys(): Promise<readonly StoredKey[]>
  damagedMemories(): Promise<readonly number[]>
  /** Schedules whose row, or a row of one of their slots, is damaged. */
  damagedSchedules(): Promise<readonly string[]>
  close(): Promise<void>
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
