import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type Row, takePage } from '@polylogue/store-rows'

// Rows that `node:sqlite` makes as objects cost twice as much as arrays, so pages of rows are read as arrays.

export const EVENT_COLUMNS = 'seq, at, type, version, data, crc'
export const SUMMARY_COLUMNS = 's.session_id, s.summary, s.summary_crc'

interface RowPage {
  readonly rows: readonly Row[]
  readonly isCut: boolean
  readonly size: number
}

/** A statement that returns its rows as arrays. */
export function prepareArrays(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql)
  statement.setReturnArrays(true)
  return statement
}

/** Of rows with `EVENT_COLUMNS`. */
export function takeEvents(found: Iterable<Row>): RowPage {
  const { rows, isCut, size } = takePage(found, (row) => row[4])
  const toRow = (row: Row): Row => ({
    seq: row[0],
    at: row[1],
    type: row[2],
    version: row[3],
    data: row[4],
    crc: row[5],
  })
  return { rows: rows.map(toRow), isCut, size }
}

/** Of rows with `SUMMARY_COLUMNS`. */
export function takeSummaries(found: Iterable<Row>): RowPage {
  const { rows, isCut, size } = takePage(found, (row) => row[1])
  return { rows: rows.map((row) => ({ session_id: row[0], summary: row[1], summary_crc: row[2] })), isCut, size }
}
