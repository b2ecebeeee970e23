import type { DatabaseSync } from 'node:sqlite'
import {
  storedBytesOf,
  type AppendConflict,
  type AppendRequest,
  type AppendResult,
  type Clock,
  type encodeEvent,
} from '@polylogue/engine'
import {
  type Row,
  type SessionChecksums,
  checksumsIn,
  integerIn,
  optionalIntegerIn,
  textIn,
} from '@polylogue/store-rows'
import { prepareHeadWrites } from './head-writes.ts'
import { type SessionLease, holds, leaseIn, mayClaim } from './leases.ts'
import { prepareUsageWrites } from './usage-writes.ts'

/** An event as it is stored. Counted before the transaction begins. */
export type EncodedEvent = ReturnType<typeof encodeEvent> & { readonly bytes: number }

interface Head extends SessionLease {
  readonly userId: string
  readonly lastSeq: number
  readonly storedBytes: number
  readonly wantedSince: number | undefined
}

interface Outcome {
  readonly lastSeq: number
  /** What this append adds. */
  readonly bytes: number
  readonly checksums: SessionChecksums
  /** The lease, if this append changes it. */
  readonly lease: SessionLease | undefined
}

const NO_LEASE: SessionLease = { owner: undefined, epoch: 0, leaseUntil: 0 }

/** Checks everything before it writes anything: a conflict leaves no trace and needs no rollback. */
export function prepareAppend(
  db: DatabaseSync,
  clock: Clock,
): (request: AppendRequest, events: readonly EncodedEvent[]) => AppendResult {
  const selectHead = db.prepare(
    `SELECT user_id, last_seq, wanted_since, owner, epoch, lease_until, stored_bytes
     FROM sessions WHERE session_id = ?`,
  )
  const selectDeleted = db.prepare('SELECT 1 FROM deleted_sessions WHERE session_id = ?')
  const insertSession = db.prepare(
    `INSERT INTO sessions (session_id, user_id, last_seq, summary, summary_crc, wanted_since, stored_bytes,
       owner, epoch, lease_until)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const writeHead = prepareHeadWrites(db)
  const selectUserSize = db.prepare('SELECT stored_bytes FROM user_sizes WHERE user_id = ?')
  const addToUser = db.prepare(
    `INSERT INTO user_sizes (user_id, stored_bytes) VALUES (?, ?)
     ON CONFLICT (user_id) DO UPDATE SET stored_bytes = stored_bytes + excluded.stored_bytes`,
  )
  const selectBlob = db.prepare('SELECT 1 FROM blobs WHERE session_id = ? AND hash = ?')
  const upsertListing = db.prepare(
    `INSERT INTO listings (session_id, user_id, listed_at, is_pinned, is_started, directory, title)
     SELECT session_id, user_id, ?2, ?3, ?4, ?5, ?6 FROM sessions WHERE session_id = ?1
     ON CONFLICT (session_id) DO UPDATE SET listed_at = excluded.listed_at, is_pinned = excluded.is_pinned,
       is_started = excluded.is_started, directory = excluded.directory, title = excluded.title`,
  )
  const insertEvent = db.prepare(
    'INSERT INTO events (session_id, seq, at, type, version, data, crc) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const upsertSnapshot = db.prepare(
    `INSERT INTO snapshots (session_id, seq, state, crc) VALUES (?, ?, ?, ?)
     ON CONFLICT (session_id) DO UPDATE SET seq = excluded.seq, state = excluded.state, crc = excluded.crc`,
  )
  const deleteDrafts = db.prepare('DELETE FROM drafts WHERE session_id = ? AND step_id = ?')
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

  const writeUsage = prepareUsageWrites(db)

  const conflictOf = (request: AppendRequest, head: Head | undefined): AppendConflict | undefined => {
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

  const leaseAfter = ({ claim, release, fence }: AppendRequest, head: Head | undefined): SessionLease | undefined => {
    const epoch = head?.epoch ?? 0
    if (claim !== undefined) return { owner: claim.owner, epoch: epoch + 1, leaseUntil: clock.now() + claim.leaseMs }
    return release === true && fence !== undefined ? { owner: undefined, epoch, leaseUntil: 0 } : undefined
  }

  const writeSession = (request: AppendRequest, head: Head | undefined, outcome: Outcome): void => {
    const { lastSeq, bytes, checksums, lease } = outcome
    const { sessionId, create, summary } = request
    const wantedSince = request.wanted ? (head?.wantedSince ?? request.at) : undefined
    if (head === undefined) {
      if (create === undefined) throw new Error('A session is made by an append with `create`.')
      const { owner = null, epoch, leaseUntil } = lease ?? NO_LEASE
      const text = summary ?? ''
      const row = [sessionId, create.userId, lastSeq, text, checksums.ofSummary(text), wantedSince ?? null, bytes]
      insertSession.run(...row, owner, epoch, leaseUntil)
      addToUser.run(create.userId, bytes)
      return
    }
    const isWantedChanged = wantedSince !== head.wantedSince
    if (lastSeq !== head.lastSeq || bytes > 0 || summary !== undefined || isWantedChanged || lease !== undefined) {
      writeHead(sessionId, {
        lastSeq,
        addedBytes: bytes,
        ...(summary !== undefined && { summary: { text: summary, crc: checksums.ofSummary(summary) } }),
        ...(isWantedChanged && { wantedSince: wantedSince ?? null }),
        ...(lease && { lease }),
      })
    }
    if (bytes > 0) addToUser.run(head.userId, bytes)
  }

  const bytesOf = ({ sessionId, blobs = [], secrets }: AppendRequest, events: readonly EncodedEvent[]): number => {
    const added = blobs.filter(({ hash }) => selectBlob.get(sessionId, hash) === undefined)
    const dataBytes = events.map(({ bytes }) => bytes)
    return storedBytesOf({ blobs: added, ...(secrets && { secrets }) }, dataBytes)
  }

  const lackOf = (
    { room, create }: AppendRequest,
    head: Head | undefined,
    bytes: number,
  ): AppendConflict | undefined => {
    if (room === undefined) return undefined
    if ((head?.storedBytes ?? 0) + bytes > room.session) return 'session-full'
    const row = selectUserSize.get(head?.userId ?? create?.userId ?? '')
    const ofUser = row === undefined ? 0 : integerIn(row, 'stored_bytes')
    return ofUser + bytes > room.user ? 'user-full' : undefined
  }

  const writeAttachedRows = (request: AppendRequest, { lastSeq, checksums }: Outcome): void => {
    const { sessionId, expectedSeq, listing, snapshot, receipt, names, blobs, secrets, clearDrafts } = request
    if (listing !== undefined) {
      const { isPinned, isStarted, directory = null, title = null, changedAt = request.at } = listing
      upsertListing.run(sessionId, changedAt, Number(isPinned), Number(isStarted), directory, title)
    }
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
    if (clearDrafts !== undefined) for (const stepId of clearDrafts) deleteDrafts.run(sessionId, stepId)
  }

  return (request, events) => {
    const { sessionId, at } = request
    const row = selectHead.get(sessionId)
    const head = row && headIn(row)
    const reason = conflictOf(request, head)
    if (reason !== undefined) return { type: 'conflict', reason }
    const bytes = bytesOf(request, events)
    const lack = lackOf(request, head, bytes)
    if (lack !== undefined) return { type: 'conflict', reason: lack }

    const checksums = checksumsIn(sessionId)
    let seq = request.expectedSeq
    for (const { type, version, data } of events) {
      seq += 1
      insertEvent.run(sessionId, seq, at, type, version, data, checksums.ofEvent({ seq, at, version, data }))
    }
    const outcome: Outcome = { lastSeq: seq, bytes, checksums, lease: leaseAfter(request, head) }
    writeSession(request, head, outcome)
    writeAttachedRows(request, outcome)
    writeUsage(request)
    if (request.claim === undefined || outcome.lease === undefined) return { type: 'appended', lastSeq: seq }
    return { type: 'appended', lastSeq: seq, fence: { owner: request.claim.owner, epoch: outcome.lease.epoch } }
  }
}

function headIn(row: Row): Head {
  return {
    ...leaseIn(row),
    userId: textIn(row, 'user_id'),
    lastSeq: integerIn(row, 'last_seq'),
    storedBytes: integerIn(row, 'stored_bytes'),
    wantedSince: optionalIntegerIn(row, 'wanted_since'),
  }
}
