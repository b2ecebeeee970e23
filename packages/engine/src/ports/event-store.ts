import type { Recorded, RecordedEvent } from '../events/recorded-event.ts'
import type { EntryId, SessionId, TurnId, UserId } from '../ids.ts'
import type { UsageRow } from './usage-store.ts'

/**
 * The durable side of the engine: rows, order and conflicts, never meaning. `state`, `summary` and drafts are texts
 * that the engine wrote and only the engine reads.
 *
 * Contract for every implementation:
 * - A promise resolves after its write is on disk (commit and fsync). Acknowledged writes survive power loss.
 * - An append is all or nothing, seqs are contiguous from 1, and when two appends have the same `expectedSeq`, one wins.
 * - A deleted session is never readable again, and appends to it return `session-gone`.
 * - Storage faults reject with `StorageFault`; conflicts are results.
 */
export interface EventStore {
  append(request: AppendRequest): Promise<AppendResult>
  /**
   * Events with `seq > after`, ascending, at most `limit`. A page ends earlier when its events hold more than
   * `PAGE_BYTES`, but it is empty only at the end of the log. So read on until a page is empty.
   */
  readEvents(sessionId: SessionId, after: number, limit: number): Promise<readonly Recorded[]>
  readHead(sessionId: SessionId): Promise<SessionHead | undefined>
  /** Where several sessions stand, in one query. Sessions that do not exist are left out. */
  readHeads(sessionIds: readonly SessionId[]): Promise<ReadonlyMap<SessionId, WatchedHead>>
  /** The bytes that a user's sessions hold, as counted by `storedBytesOf`. Deleting a session frees its bytes. */
  storedBytes(userId: UserId): Promise<number>
  readSnapshot(sessionId: SessionId): Promise<Snapshot | undefined>

  /** Rewrites the given drafts in the next group commit. Refused (`false`) when the fence no longer holds. */
  saveDrafts(sessionId: SessionId, fence: Fence, drafts: readonly Draft[]): Promise<boolean>
  readDrafts(sessionId: SessionId): Promise<readonly Draft[]>

  /**
   * Sessions of one user with `id < before`, newest first by id. A page holds `PAGE_BYTES` of summaries at most, and at least
   * one, so that it can have fewer rows than `limit` although more follow. Read on until a page is empty.
   */
  listSessions(query: SessionQuery): Promise<readonly SessionRow[]>
  /**
   * The user's sessions that match the query. Pinned sessions come first unless `order` says otherwise; the rest are
   * ordered by their last summary. A text search sees every append acknowledged before it, unless the page is partial.
   */
  findSessions(query: ListingQuery): Promise<ListingPage>
  /** The sessions of all users that were last listed before a time, oldest first. Pinned ones are left out. */
  findStale(before: number, limit: number): Promise<readonly StaleSession[]>
  /** Removes the session and everything that belongs to it. Returns `false` if the session does not exist. */
  deleteSession(sessionId: SessionId): Promise<boolean>

  findReceipt(userId: UserId, sessionId: SessionId, key: string): Promise<Receipt | undefined>
  /** Returns the given names that this session has already recorded. */
  takenNames(sessionId: SessionId, names: readonly string[]): Promise<ReadonlySet<string>>
  readBlob(sessionId: SessionId, hash: string): Promise<Blob | undefined>
  readSecrets(sessionId: SessionId): Promise<readonly SealedSecret[]>

  /**
   * Makes `owner` the only runner of the session for `leaseMs` and raises its epoch. `undefined` while another owner's
   * lease holds, or when the session is gone. After that, appends with an older fence return `fenced`. An owner uses one
   * `leaseMs` for all its claims: a store may keep one lease for each owner. A shared storage also refuses after five claims in a row
   * that no append and no release followed.
   */
  claim(sessionId: SessionId, owner: string, leaseMs: number): Promise<Fence | undefined>
  /**
   * Extends the leases of these sessions; a store may extend all leases of the owner. Returns the sessions whose lease was
   * lost.
   */
  renew(owner: string, sessionIds: readonly SessionId[], leaseMs: number): Promise<readonly SessionId[]>
  release(sessionId: SessionId, fence: Fence): Promise<void>
  /**
   * Ends all leases. Only the owner of a data directory may call this, and only at startup, when the previous holders
   * are dead.
   */
  dropLeases(): Promise<void>
  /**
   * Sessions whose last append said `wanted` and whose lease is free, oldest first. Of a shared storage only those whose
   * events need at most this level.
   */
  wantedSessions(limit: number, level?: number): Promise<readonly SessionId[]>

  close(): Promise<void>
}

export interface AppendRequest {
  readonly sessionId: SessionId
  /** The last seq that the caller has folded. 0 creates the session and requires `create`. */
  readonly expectedSeq: number
  readonly create?: { readonly userId: UserId }
  readonly at: number
  readonly events: readonly RecordedEvent[]
  /** Set by runners. The append is refused unless this owner still holds this epoch. */
  readonly fence?: Fence
  /**
   * Claims the session in the same transaction, as `claim` does; the result has the fence. The append is refused with
   * `lease-held` while another owner's lease holds. Never together with `fence`.
   */
  readonly claim?: LeaseClaim
  /** Releases the lease of `fence` in the same transaction, as `release` does. Requires `fence`. */
  readonly release?: true
  /** Whether a runner must own the session after this append. */
  readonly wanted: boolean
  /** The text that lists show. Absent: unchanged. */
  readonly summary?: string
  /** The fields that lists filter by. Present with every summary. */
  readonly listing?: SessionListing
  readonly snapshot?: string
  /** Stores an idempotency key in the same transaction. */
  readonly receipt?: NewReceipt
  /** Names that must be new in the session (tool-call ids). */
  readonly names?: readonly string[]
  readonly blobs?: readonly NewBlob[]
  readonly secrets?: readonly SealedSecret[]
  /** Model calls that these events end. Each is stored once. */
  readonly usage?: readonly UsageRow[]
  /** Steps whose drafts this append makes obsolete. */
  readonly clearDrafts?: readonly EntryId[]
  /**
   * The append is refused with `session-full` or `user-full` if it would exceed one of these limits. Absent: no limit.
   */
  readonly room?: StorageRoom
}

/** In bytes, as `storedBytesOf` counts them. */
export interface StorageRoom {
  readonly session: number
  readonly user: number
}

export type AppendResult =
  | { readonly type: 'appended'; readonly lastSeq: number; readonly fence?: Fence }
  | { readonly type: 'conflict'; readonly reason: AppendConflict }

/** If several reasons apply, the result names the first of this list. */
export type AppendConflict =
  | 'session-gone'
  | 'fenced'
  | 'seq-moved'
  | 'lease-held'
  | 'receipt-taken'
  | 'name-taken'
  | 'session-full'
  | 'user-full'

export interface LeaseClaim {
  readonly owner: string
  readonly leaseMs: number
}

export interface Fence {
  readonly owner: string
  readonly epoch: number
}

export interface SessionHead {
  readonly userId: UserId
  readonly lastSeq: number
}

export interface WatchedHead {
  readonly lastSeq: number
  /** Who claimed the session last and has not released it. Its lease may have ended. */
  readonly owner?: string
}

export interface Snapshot {
  readonly seq: number
  readonly state: string
}

/** The text of one streaming block so far. */
export interface Draft {
  readonly stepId: EntryId
  readonly block: number
  readonly kind: 'text' | 'thinking'
  readonly text: string
  /** The highest live batch number that may have been used. */
  readonly reservedBatches?: number
}

export interface SessionQuery {
  readonly userId: UserId
  readonly before?: SessionId
  readonly limit: number
}

export interface SessionListing {
  readonly title?: string
  readonly directory?: string
  readonly isPinned: boolean
  readonly isStarted: boolean
  /** The sort key of lists. Absent: the time of the append. */
  readonly changedAt?: number
}

export interface ListingQuery {
  readonly userId: UserId
  readonly directory?: string
  /**
   * Matches a session if its title (`foldTitle`) contains the text (`foldText`), or if its title and spoken texts
   * (`spokenText`) contain every term (`toSearchTerms`).
   */
  readonly text?: string
  readonly isStarted?: true
  readonly order?: 'pinned-first' | 'newest-first'
  readonly offset: number
  readonly limit: number
}

export interface ListingPage {
  /** `PAGE_BYTES` of summaries at most, and at least one. With fewer than `limit`, the next page begins after the last one. */
  readonly rows: readonly SessionRow[]
  /** The total number of matches. */
  readonly total: number
  /** Some texts were not searched, because the index is still being built or there are too many matches. */
  readonly isPartial?: true
}

export interface StaleSession {
  readonly userId: UserId
  readonly sessionId: SessionId
}

export interface SessionRow {
  readonly sessionId: SessionId
  readonly summary: string
}

export interface NewReceipt {
  readonly userId: UserId
  readonly key: string
  readonly fingerprint: string
  readonly turnId: TurnId
  /** Index into this append's events: the start of the answer to a repeated request. */
  readonly firstEvent: number
}

export interface Receipt {
  readonly fingerprint: string
  readonly turnId: TurnId
  readonly seq: number
}

export interface Blob {
  readonly mediaType: string
  readonly bytes: Uint8Array
}

export interface NewBlob extends Blob {
  readonly hash: string
}

export interface SealedSecret {
  readonly name: string
  readonly sealed: Uint8Array
}

/** The disk is full, the file is corrupt, or the database is not available. Nothing of the request was stored. */
export class StorageFault extends Error {
  readonly kind: 'full' | 'busy' | 'broken'

  constructor(kind: 'full' | 'busy' | 'broken', message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StorageFault'
    this.kind = kind
  }
}

/**
 * The maximum size of a page of events, or of a page of summaries. It holds thousands of typical events, and it is read, shown and sent in one turn of
 * the event loop within a few tens of milliseconds.
 */
export const PAGE_BYTES = 1024 * 1024

/** The size of a row without its data. */
const BYTES_PER_EVENT = 100

/**
 * The bytes that an append adds. `blobs` are those that the session does not have yet. Small rows, such as receipts,
 * are not counted.
 */
export function storedBytesOf(
  { blobs = [], secrets = [] }: Pick<AppendRequest, 'blobs' | 'secrets'>,
  dataBytes: readonly number[],
): number {
  let bytes = dataBytes.length * BYTES_PER_EVENT
  for (const length of dataBytes) bytes += length
  for (const blob of blobs) bytes += blob.bytes.length
  for (const { sealed } of secrets) bytes += sealed.length
  return bytes
}
