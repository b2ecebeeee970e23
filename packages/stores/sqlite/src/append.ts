import type { DatabaseSync } from 'node:sqlite'
import {
  storedBytesOf,
  type AppendConflict,
  type AppendRequest,
  type AppendResult,
  type Clock,
  type encodeEvent,
} from '@polylogue/engine'
import { type SessionChecksums, checksumsIn } from '@polylogue/store-rows'
import type { DraftRows } from './draft-rows.ts'
import { prepareEventInserts } from './event-inserts.ts'
import { prepareHeadWrites } from './head-writes.ts'
import { type SessionLease, holds, mayClaim } from './leases.ts'
import type { ListingWrites } from './listing-writes.ts'
import type { SessionHead, SessionHeads } from './session-heads.ts'
import type { UsageWrites } from './usage-writes.ts'
import type { UserSizes } from './user-sizes.ts'

/** An event as it is stored. Counted before the transaction begins. */
export interface EncodedEvent extends ReturnType<typeof encodeEvent> {
  readonly bytes: number
}

interface Outcome {
  readonly lastSeq: number
  /** The bytes that this append adds. */
  readonly bytes: number
  readonly checksums: SessionChecksums
  /** The lease, if this append changes it. */
  readonly lease: SessionLease | undefined
}

const NO_LEASE: SessionLease = { owner: undefined, epoch: 0, leaseUntil: 0 }

export interface AppendDeps {
  readonly db: DatabaseSync
  readonly clock: Clock
  readonly heads: SessionHeads
  readonly sizes: UserSizes
  readonly listings: Pick<ListingWrites, 'write'>
  readonly drafts: Pick<DraftRows, 'clear'>
  readonly usage: UsageWrites
}

/** `listedAt`: see `ListingWrites.write`. */
export type StoredAppend = AppendResult & { readonly listedAt?: number }

/** Checks everything before it writes anything: a conflict leaves no trace and needs no rollback. */
export function prepareAppend(
  deps: AppendDeps,
): (request: AppendRequest, events: readonly EncodedEvent[]) => StoredAppend {
  const { db, clock, heads, sizes, listings, drafts, usage } = deps
  const selectDeleted = db.prepare('SELECT 1 FROM deleted_sessions WHERE session_id = ?')
  const insertSession = db.prepare(
    `INSERT INTO sessions (session_id, user_id, last_seq, summary, summary_crc, wanted_since, stored_bytes,
       owner, epoch, lease_until)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const writeHead = prepareHeadWrites(db)
  const selectBlob = db.prepare('SELECT 1 FROM blobs WHERE session_id = ? AND hash = ?')
  const insertEvents = prepareEventInserts(db)
  const upsertSnapshot = db.prepare(
    `INSERT INTO snapshots (session_id, seq, state, crc) VALUES (?, ?, ?, ?)
     ON CONFLICT (session_id) DO UPDATE SET seq = excluded.seq, state = excluded.state, crc = excluded.crc`,
  )
  const selectReceipt = db.prepare('SELECT 1 FROM receipts WHERE session_id = ? AND user_id = ? AND key = ?')
  const insertReceipt = db.prepare(
    'INSERT INTO receipts (session_id, user_id, key, fingerprint, turn_id, seq) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const selectName = db.prepare('SELECT 1 FROM names WHERE session_id = ? AND name = ?')
  const insertName = db.prepare('INSERT INTO names (session_id, name) VALUES (?, ?)')
  const insertBlob = db.prepare(
    `INSERT INTO blobs (session_id, hash, media_type, bytes, crc) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (session_id, hash) DO NOTHING`,
  )
  const upsertSecret = db.prepare(
    `INSERT INTO secrets (session_id, name, sealed) VALUES (?, ?, ?)
     ON CONFLICT (session_id, name) DO UPDATE SET sealed = excluded.sealed`,
  )

  const conflictOf = (request: AppendRequest, head: SessionHead | undefined): AppendConflict | undefined => {
    const { sessionId, create, expectedSeq, fence, claim, receipt, names } = request
    if (head === undefined) {
      if (create === undefined || expectedSeq !== 0) return 'session-gone'
      if (selectDeleted.get(sessionId) !== undefined) return 'session-gone'
      if (fence !== undefined) return 'fenced'
    } else {
      if (fence !== undefined && !holds(head, fence)) return 'fenced'
      if (create !== undefined || head.lastSeq !== expectedSeq) return 'seq-moved'
      if (claim !== undefined && !mayClaim(head, claim.owner, clock.now())) return 'lease-held'
    }
    if (receipt !== undefined && selectReceipt.get(sessionId, receipt.userId, receipt.key) !== undefined) {
      return 'receipt-taken'
    }
    if (names === undefined) return undefined
    const isTaken = (name: string): boolean => selectName.get(sessionId, name) !== undefined
    return new Set(names).size < names.length || names.some(isTaken) ? 'name-taken' : undefined
  }

  const leaseAfter = (
    { claim, release, fence }: AppendRequest,
    head: SessionHead | undefined,
  ): SessionLease | undefined => {
    const epoch = head?.epoch ?? 0
    if (claim !== undefined) return { owner: claim.owner, epoch: epoch + 1, leaseUntil: clock.now() + claim.leaseMs }
    return release === true && fence !== undefined ? { owner: undefined, epoch, leaseUntil: 0 } : undefined
  }

  const writeSession = (request: AppendRequest, head: SessionHead | undefined, outcome: Outcome): SessionHead => {
    const { lastSeq, bytes, checksums } = outcome
    const { sessionId, create, summary } = request
    const wantedSince = request.wanted ? (head?.wantedSince ?? request.at) : undefined
    const { owner, epoch, leaseUntil } = outcome.lease ?? head ?? NO_LEASE
    const userId = head?.userId ?? create?.userId
    if (userId === undefined) throw new Error('A session is made by an append with `create`.')
    const storedBytes = (head?.storedBytes ?? 0) + bytes
    const after: SessionHead = { userId, lastSeq, storedBytes, wantedSince, owner, epoch, leaseUntil }
    if (head === undefined) {
      const text = summary ?? ''
      const row = [sessionId, userId, lastSeq, text, checksums.ofSummary(text), wantedSince ?? null, bytes]
      insertSession.run(...row, owner ?? null, epoch, leaseUntil)
      return after
    }
    const isWantedChanged = wantedSince !== head.wantedSince
    const isChanged = lastSeq !== head.lastSeq || bytes > 0 || isWantedChanged || outcome.lease !== undefined
    if (isChanged || summary !== undefined) {
      writeHead(sessionId, {
        lastSeq,
        addedBytes: bytes,
        summary: summary === undefined ? undefined : { text: summary, crc: checksums.ofSummary(summary) },
        wantedSince: isWantedChanged ? (wantedSince ?? null) : undefined,
        lease: outcome.lease,
      })
    }
    return after
  }

  const bytesOf = ({ sessionId, blobs = [], secrets }: AppendRequest, events: readonly EncodedEvent[]): number => {
    const added = blobs.filter(({ hash }) => selectBlob.get(sessionId, hash) === undefined)
    const dataBytes = events.map(({ bytes }) => bytes)
    return storedBytesOf({ blobs: added, ...(secrets && { secrets }) }, dataBytes)
  }

  const lackOf = (
    { room, create }: AppendRequest,
    head: SessionHead | undefined,
    bytes: number,
  ): AppendConflict | undefined => {
    if (room === undefined) return undefined
    if ((head?.storedBytes ?? 0) + bytes > room.session) return 'session-full'
    return sizes.of(head?.userId ?? create?.userId ?? '') + bytes > room.user ? 'user-full' : undefined
  }

  const writeAttachedRows = (request: AppendRequest, { lastSeq, checksums }: Outcome): void => {
    const { sessionId, expectedSeq, snapshot, receipt, names, blobs, secrets, clearDrafts } = request
    if (snapshot !== undefined) {
      upsertSnapshot.run(sessionId, lastSeq, snapshot, checksums.ofSnapshot(lastSeq, snapshot))
    }
    if (receipt !== undefined) {
      const { userId, key, fingerprint, turnId, firstEvent } = receipt
      insertReceipt.run(sessionId, userId, key, fingerprint, turnId, expectedSeq + 1 + firstEvent)
    }
    if (names !== undefined) for (const name of names) insertName.run(sessionId, name)
    if (blobs !== undefined) {
      for (const blob of blobs) insertBlob.run(sessionId, blob.hash, blob.mediaType, blob.bytes, checksums.ofBlob(blob))
    }
    if (secrets !== undefined) for (const { name, sealed } of secrets) upsertSecret.run(sessionId, name, sealed)
    if (clearDrafts !== undefined) drafts.clear(sessionId, clearDrafts)
  }

  return (request, events) => {
    const { sessionId, at, listing } = request
    const head = heads.find(sessionId)
    const reason = conflictOf(request, head)
    if (reason !== undefined) return { type: 'conflict', reason }
    const bytes = bytesOf(request, events)
    const lack = lackOf(request, head, bytes)
    if (lack !== undefined) return { type: 'conflict', reason: lack }

    const checksums = checksumsIn(sessionId)
    insertEvents({ sessionId, after: request.expectedSeq, at, checksums }, events)
    const lastSeq = request.expectedSeq + events.length
    const lease = leaseAfter(request, head)
    const outcome: Outcome = { lastSeq, bytes, checksums, lease }
    const written = writeSession(request, head, outcome)
    writeAttachedRows(request, outcome)
    const listedAt = listing && listings.write(sessionId, { userId: written.userId, listing, at })
    usage.write(request)
    heads.remember(sessionId, written)
    if (bytes > 0) sizes.add(written.userId, bytes)
    const { claim } = request
    return {
      type: 'appended',
      lastSeq,
      ...(claim && lease && { fence: { owner: claim.owner, epoch: lease.epoch } }),
      ...(listedAt !== undefined && { listedAt }),
    }
  }
}
