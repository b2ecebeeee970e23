import { damaged } from './damage.ts'

/** A row of any driver. Reading a column checks its type, so that damage is not mistaken for data. */
export type Row = Readonly<Record<string, unknown>>

export function textIn(row: Row, column: string): string {
  const value = row[column]
  return typeof value === 'string' ? value : refuse(column, 'a text')
}

export function integerIn(row: Row, column: string): number {
  const value = row[column]
  return typeof value === 'number' ? value : refuse(column, 'an integer')
}

export function bytesIn(row: Row, column: string): Uint8Array {
  const value = row[column]
  return value instanceof Uint8Array ? value : refuse(column, 'bytes')
}

export function optionalTextIn(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : textIn(row, column)
}

export function optionalIntegerIn(row: Row, column: string): number | undefined {
  return row[column] === null ? undefined : integerIn(row, column)
}

function refuse(column: string, expected: string): never {
  throw damaged(`The column ${column} does not hold ${expected}.`)
}
