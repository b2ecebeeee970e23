import { isDeepStrictEqual } from 'node:util'
import type { ReaderHistory, SessionHistory, Violation } from './history.ts'

/** I2: no client is ahead of the store, none was shown what is not there, and none missed or repeated an event. */
export function checkReaders({ readers, stored }: SessionHistory): Violation[] {
  return readers.flatMap((reader, index) => [...checkSeen(reader, index, stored), ...checkOrder(reader, index)])
}

function checkSeen({ seen }: ReaderHistory, reader: number, stored: SessionHistory['stored']): Violation[] {
  return seen.flatMap(({ seq, event }): Violation[] => {
    const kept = stored[seq - 1]
    if (kept === undefined)
      return [{ invariant: 'I2', message: `reader ${reader} holds seq ${seq} of ${stored.length}` }]
    if (event === undefined || isDeepStrictEqual(plain(event), plain(kept.event))) return []
    return [
      { invariant: 'I2', message: `reader ${reader} saw ${event.type} at ${seq}, where ${kept.event.type} is stored` },
    ]
  })
}

function checkOrder({ after, seen, isGapless }: ReaderHistory, reader: number): Violation[] {
  let last = after
  return seen.flatMap(({ seq }): Violation[] => {
    const isNext = isGapless ? seq === last + 1 : seq > last
    const before = last
    last = seq
    return isNext ? [] : [{ invariant: 'I2', message: `reader ${reader} saw seq ${seq} after ${before}` }]
  })
}

/** Rows lose fields that are undefined. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
