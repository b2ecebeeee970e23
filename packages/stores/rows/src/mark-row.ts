import { crc32 } from 'node:zlib'
import type { MarkKind, StoredMark } from '@polylogue/engine'
import { integerIn, textIn, type Row } from './row.ts'

export interface MarkPlace extends MarkKind {
  readonly sessionId: string
}

/** `undefined` if the row changed by accident: readers then begin at an earlier mark. */
export function markIn(row: Row, place: MarkPlace): StoredMark | undefined {
  const mark = { seq: integerIn(row, 'seq'), content: textIn(row, 'content') }
  return checksumOfMark(mark, place) === row['crc'] ? mark : undefined
}

export const checksumOfMark = ({ seq, content }: StoredMark, { sessionId, door, format }: MarkPlace): number =>
  crc32(content, crc32(JSON.stringify([sessionId, door, format, seq])))
