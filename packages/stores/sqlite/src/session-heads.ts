import type { DatabaseSync } from 'node:sqlite'
import { integerIn, optionalIntegerIn, textIn, type Row } from '@polylogue/store-rows'
import type { Companion } from './group-commit.ts'
import { leaseIn, type SessionLease } from './leases.ts'

/** The columns of a session that an append checks. */
export interface SessionHead extends SessionLease {
  readonly userId: string
  readonly lastSeq: number
  readonly storedBytes: number
  readonly wantedSince: number | undefined
}

/**
 * The heads of sessions in use. An append to a known session reads no row. The heads are read again after another
 * connection has written to the database, and after a rollback.
 */
export interface SessionHeads extends Companion {
  find(sessionId: string): SessionHead | undefined
  /** The row was written in the current transaction. */
  remember(sessionId: string, head: SessionHead): void
  forget(sessionId: string): void
  forgetAll(): void
}

const MOST_KNOWN = 10_000

export function createSessionHeads(db: DatabaseSync): SessionHeads {
  const select = db.prepare(
    `SELECT user_id, last_seq, wanted_since, owner, epoch, lease_until, stored_bytes
     FROM sessions WHERE session_id = ?`,
  )
  // Changes when another connection commits, and never by our own commits: https://sqlite.org/pragma.html#pragma_data_version
  const selectVersion = db.prepare('PRAGMA data_version')
  const known = new Map<string, SessionHead>()
  let version: unknown
  return {
    begun() {
      const now = selectVersion.get()?.['data_version']
      if (now !== version) known.clear()
      version = now
    },
    dropped: () => known.clear(),
    find(sessionId) {
      const head = known.get(sessionId)
      if (head !== undefined) return head
      const row = select.get(sessionId)
      if (row === undefined) return undefined
      const read = headIn(row)
      known.set(sessionId, read)
      return read
    },
    remember(sessionId, head) {
      if (known.size >= MOST_KNOWN) known.clear()
      known.set(sessionId, head)
    },
    forget: (sessionId) => void known.delete(sessionId),
    forgetAll: () => known.clear(),
  }
}

function headIn(row: Row): SessionHead {
  return {
    ...leaseIn(row),
    userId: textIn(row, 'user_id'),
    lastSeq: integerIn(row, 'last_seq'),
    storedBytes: integerIn(row, 'stored_bytes'),
    wantedSince: optionalIntegerIn(row, 'wanted_since'),
  }
}
