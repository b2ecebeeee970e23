import type { BlockDelta, Cursor, Recorded, RecordedEvent, SessionReader } from '@polylogue/engine'

export type ReadItem =
  | { readonly type: 'recorded'; readonly recorded: Recorded }
  | { readonly type: 'delta'; readonly delta: BlockDelta }
  | { readonly type: 'closed'; readonly reason: 'deleted' | 'stopping' }

/** A reader that records what it gets, in order. */
export interface ReaderLog extends SessionReader {
  readonly items: readonly ReadItem[]
  events(): readonly RecordedEvent[]
  seqs(): readonly number[]
  /** The order of everything: event types, and deltas as their text. */
  story(): readonly string[]
  /** The cursor at which this reader would resume. */
  cursor(): Cursor
}

export function createReaderLog(start: Cursor = { seq: 0 }): ReaderLog {
  const items: ReadItem[] = []
  let cursor = start
  return {
    items,
    recorded(recorded) {
      items.push({ type: 'recorded', recorded })
      cursor = { ...(isEndOfStep(recorded.event) ? {} : cursor), seq: recorded.seq }
    },
    delta(delta) {
      items.push({ type: 'delta', delta })
      const { stepSeq, block, offset, text } = delta
      cursor = { seq: Math.max(cursor.seq, stepSeq), block, offset: offset + text.length }
    },
    closed: (reason) => void items.push({ type: 'closed', reason }),
    events: () => items.flatMap((item) => (item.type === 'recorded' ? [item.recorded.event] : [])),
    seqs: () => items.flatMap((item) => (item.type === 'recorded' ? [item.recorded.seq] : [])),
    story: () => items.map(tell),
    cursor: () => cursor,
  }
}

const isEndOfStep = ({ type }: RecordedEvent): boolean => type === 'step.answered' || type === 'step.ended'

function tell(item: ReadItem): string {
  switch (item.type) {
    case 'recorded':
      return item.recorded.event.type
    case 'delta':
      return `${item.delta.block}.${item.delta.offset} ${item.delta.text}`
    case 'closed':
      return `closed: ${item.reason}`
  }
}
