import type { TransferRow, TransferValue } from '@polylogue/engine'
import { damaged } from './damage.ts'
import type { Row } from './row.ts'
import { isTransferTable, transferColumns, type ColumnType, type TransferTable } from './transfer-tables.ts'

/** A row of any driver, with the columns that move. */
export function toTransferRow(table: TransferTable, row: Row): TransferRow {
  const values: Record<string, TransferValue> = {}
  for (const [column, type] of transferColumns(table)) values[column] = valueOf(row[column], { table, column, type })
  return { table, values }
}

interface ColumnPlace {
  readonly table: string
  readonly column: string
  readonly type: ColumnType
}

/** Far more than a session may store. Longer values would fill the memory. */
const LONGEST_VALUE = 256 * 1024 * 1024
const ID = /^[.-]*\w[\w.-]*$/

function valueOf(value: unknown, { table, column, type }: ColumnPlace): TransferValue {
  if (value === null) return null
  if ((typeof value === 'string' || value instanceof Uint8Array) && value.length > LONGEST_VALUE)
    throw damaged(`The column ${column} of ${table} has a value of more than ${LONGEST_VALUE} bytes.`)
  // Sessions have folders of this name.
  if (column === 'session_id' && !(typeof value === 'string' && ID.test(value)))
    throw damaged(`${table} has a session whose id is not one: ${JSON.stringify(value)?.slice(0, 100)}.`)
  if (type === 'text' && typeof value === 'string') return value
  if (type === 'integer' && typeof value === 'number') return value
  if (type === 'bytes' && value instanceof Uint8Array) return value
  throw damaged(`The column ${column} of ${table} does not hold ${type}.`)
}

export interface TransferBatch {
  readonly table: TransferTable
  readonly rows: readonly TransferRow['values'][]
}

const BATCH_ROWS = 500
const BATCH_BYTES = 4 * 1024 * 1024

/** Neighbouring rows of one table, at most 500 or 4 MiB of them. */
export async function* toBatches(rows: AsyncIterable<TransferRow>): AsyncGenerator<TransferBatch> {
  let table: TransferTable | undefined
  let batch: TransferRow['values'][] = []
  let size = 0
  for await (const row of rows) {
    if (!isTransferTable(row.table)) throw new Error(`There is no table ${row.table}.`)
    if (table !== undefined && (row.table !== table || batch.length >= BATCH_ROWS || size >= BATCH_BYTES)) {
      yield { table, rows: batch }
      batch = []
      size = 0
    }
    table = row.table
    batch.push(row.values)
    size += sizeOf(row.values)
  }
  if (table !== undefined) yield { table, rows: batch }
}

function sizeOf(values: TransferRow['values']): number {
  let size = 0
  for (const value of Object.values(values)) size += value === null || typeof value === 'number' ? 8 : value.length
  return size
}
