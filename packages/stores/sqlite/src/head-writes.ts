import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { SessionLease } from './leases.ts'

/** The new values of a session's row. `undefined` leaves a value unchanged. */
export interface HeadChange {
  readonly lastSeq: number
  readonly addedBytes: number
  readonly summary: { readonly text: string; readonly crc: number } | undefined
  readonly wantedSince: number | null | undefined
  readonly lease: SessionLease | undefined
}

const SEQ = ['last_seq = ?', 'stored_bytes = stored_bytes + ?']
const SUMMARY = ['summary = ?', 'summary_crc = ?']
const WANTED = ['wanted_since = ?']
const LEASE = ['owner = ?', 'epoch = ?', 'lease_until = ?']

/**
 * Writes a session's row once per append. There is one statement for each set of columns, because an UPDATE rewrites
 * the index of every column that it names, changed or not.
 */
export function prepareHeadWrites(db: DatabaseSync): (sessionId: string, change: HeadChange) => void {
  const statements = Array.from({ length: 8 }, (_, columns): StatementSync => {
    const set = [
      ...SEQ,
      ...((columns & 1) === 0 ? [] : SUMMARY),
      ...((columns & 2) === 0 ? [] : WANTED),
      ...((columns & 4) === 0 ? [] : LEASE),
    ]
    return db.prepare(`UPDATE sessions SET ${set.join(', ')} WHERE session_id = ?`)
  })
  return (sessionId, { lastSeq, addedBytes, summary, wantedSince, lease }) => {
    const values: SQLInputValue[] = [lastSeq, addedBytes]
    if (summary !== undefined) values.push(summary.text, summary.crc)
    if (wantedSince !== undefined) values.push(wantedSince)
    if (lease !== undefined) values.push(lease.owner ?? null, lease.epoch, lease.leaseUntil)
    values.push(sessionId)
    const columns =
      Number(summary !== undefined) + Number(wantedSince !== undefined) * 2 + Number(lease !== undefined) * 4
    statements[columns]?.run(...values)
  }
}
