import {
  PAGE_BYTES,
  StorageFault,
  asEntryId,
  asSessionId,
  decodeEvent,
  type Blob,
  type Draft,
  type Recorded,
  type SessionId,
  type SessionRow,
  type Snapshot,
} from '@polylogue/engine'
import { type SessionChecksums, checksumsIn } from './checksum.ts'
import { damaged } from './damage.ts'
import { type Row, bytesIn, integerIn, optionalIntegerIn, textIn } from './row.ts'

/** Rows up to `PAGE_BYTES`, and at least one. In UTF-16 units, which is close enough. */
export function takePage<R>(
  rows: Iterable<R>,
  textOf: (row: R) => unknown,
): {
  readonly rows: readonly R[]
  readonly isCut: boolean
  readonly size: number
} {
  const page: R[] = []
  let size = 0
  for (const row of rows) {
    const text = textOf(row)
    size += typeof text === 'string' ? text.length : 0
    if (size > PAGE_BYTES && page.length > 0) return { rows: page, isCut: true, size }
    page.push(row)
  }
  return { rows: page, isCut: false, size }
}

/** Where a row was found, and where it should be. */
export interface Place {
  readonly sessionId: SessionId
  readonly expectedSeq: number
  readonly checksums: SessionChecksums
}

export function recordedIn(row: Row, { sessionId, expectedSeq, checksums }: Place): Recorded {
  const seq = integerIn(row, 'seq')
  try {
    if (seq !== expectedSeq) throw new Error(`event ${expectedSeq} is missing`)
    const at = integerIn(row, 'at')
    const stored = { type: textIn(row, 'type'), version: integerIn(row, 'version'), data: textIn(row, 'data') }
    // Checked first, because a decoder error may quote the conversation.
    if (checksums.ofEvent({ ...stored, seq, at }) !== row['crc']) throw new Error('its checksum is wrong')
    return { seq, at, event: decodeEvent(stored) }
  } catch (error) {
    if (error instanceof StorageFault) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw damaged(`Session ${sessionId} cannot be read at event ${seq}: ${reason}.`, error)
  }
}

/** Names the first missing or extra event. */
export function incomplete(
  sessionId: SessionId,
  rows: readonly Row[],
  { first, expected }: { readonly first: number; readonly expected: number },
): StorageFault {
  const gap = rows.findIndex((row, index) => row['seq'] !== first + index)
  const seq = first + (gap === -1 ? Math.min(rows.length, expected) : gap)
  const problem = rows.length < expected ? 'is missing' : 'is beyond the end of its session'
  return damaged(`Session ${sessionId} cannot be read: event ${seq} ${problem}.`)
}

/** Ignores a damaged snapshot, because the log has everything. */
export function snapshotIn(row: Row, sessionId: SessionId): Snapshot | undefined {
  const seq = integerIn(row, 'seq')
  const state = textIn(row, 'state')
  return checksumsIn(sessionId).ofSnapshot(seq, state) === row['crc'] ? { seq, state } : undefined
}

/** A row with the columns of `sessions` that lists need. */
export function sessionIn(row: Row): SessionRow {
  const sessionId = asSessionId(textIn(row, 'session_id'))
  const summary = textIn(row, 'summary')
  if (checksumsIn(sessionId).ofSummary(summary) !== row['summary_crc'])
    throw damaged(`The summary of session ${sessionId} is damaged.`)
  return { sessionId, summary }
}

export function blobIn(row: Row, sessionId: SessionId, hash: string): Blob {
  const blob = { mediaType: textIn(row, 'media_type'), bytes: bytesIn(row, 'bytes') }
  if (checksumsIn(sessionId).ofBlob({ hash, ...blob }) !== row['crc'])
    throw damaged(`An attachment of session ${sessionId} is damaged.`)
  return blob
}

export function draftIn(row: Row): Draft {
  const kind = textIn(row, 'kind')
  if (kind !== 'text' && kind !== 'thinking') throw new StorageFault('broken', `A draft has the kind ${kind}.`)
  const reservedBatches = optionalIntegerIn(row, 'reserved_batches')
  return {
    stepId: asEntryId(textIn(row, 'step_id')),
    block: integerIn(row, 'block'),
    kind,
    text: textIn(row, 'text'),
    ...(reservedBatches !== undefined && { reservedBatches }),
  }
}
