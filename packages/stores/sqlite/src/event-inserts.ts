import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { SessionChecksums } from '@polylogue/store-rows'
import type { EncodedEvent } from './append.ts'

/** The place of new events. */
export interface EventPlace {
  readonly sessionId: string
  /** The seq before the first event. */
  readonly after: number
  readonly at: number
  readonly checksums: SessionChecksums
}

/** Most appends have fewer events. */
const MOST_ROWS = 8

/** Inserts the events of one append with as few statements as possible: one for each number of rows. */
export function prepareEventInserts(db: DatabaseSync): (place: EventPlace, events: readonly EncodedEvent[]) => void {
  const statements: StatementSync[] = []
  const statementOf = (rows: number): StatementSync => (statements[rows] ??= prepare(rows))
  const prepare = (rows: number): StatementSync => {
    const values = Array.from({ length: rows }, () => '(?, ?, ?, ?, ?, ?, ?)').join(', ')
    return db.prepare(`INSERT INTO events (session_id, seq, at, type, version, data, crc) VALUES ${values}`)
  }
  return ({ sessionId, after, at, checksums }, events) => {
    for (let first = 0; first < events.length; first += MOST_ROWS) {
      const values: SQLInputValue[] = []
      const rows = Math.min(MOST_ROWS, events.length - first)
      for (let index = first; index < first + rows; index++) {
        const event = events[index]
        if (event === undefined) break
        const { type, version, data } = event
        const seq = after + 1 + index
        values.push(sessionId, seq, at, type, version, data, checksums.ofEvent({ seq, at, version, data }))
      }
      statementOf(rows).run(...values)
    }
  }
}
