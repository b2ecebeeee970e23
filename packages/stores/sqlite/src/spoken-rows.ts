import type { DatabaseSync } from 'node:sqlite'
import { SPOKEN_TYPES, spokenTextIn } from '@polylogue/engine'
import { integerIn, textIn } from '@polylogue/store-rows'

/** The text of a part of a log. */
export interface SpokenPart {
  readonly texts: readonly string[]
  /** The last event of the part. */
  readonly throughSeq: number
}

export interface SpokenRows {
  /** The next part after `after`; bounded, but it holds at least one event. Throws when an event cannot be decoded. */
  read(sessionId: string, after: number, lastSeq: number): SpokenPart
}

const EVENTS_A_READ = 2_000
const CHARS_A_READ = 64 * 1024
/** Per event. Search does not find text after this limit. */
const MOST_CHARS = 256 * 1024

export function prepareSpokenRows(db: DatabaseSync): SpokenRows {
  const types = SPOKEN_TYPES.map((type) => `'${type}'`).join(', ')
  const select = db.prepare(
    `SELECT seq, type, version, data FROM events
     WHERE session_id = ? AND seq > ? AND seq <= ? AND type IN (${types}) ORDER BY seq`,
  )
  return {
    read(sessionId, after, lastSeq) {
      const throughSeq = Math.min(lastSeq, after + EVENTS_A_READ)
      const texts: string[] = []
      let chars = 0
      for (const row of select.iterate(sessionId, after, throughSeq)) {
        const stored = { type: textIn(row, 'type'), version: integerIn(row, 'version'), data: textIn(row, 'data') }
        const text = spokenTextIn(stored).slice(0, MOST_CHARS)
        if (text === '') continue
        texts.push(text)
        chars += text.length
        if (chars >= CHARS_A_READ) return { texts, throughSeq: integerIn(row, 'seq') }
      }
      return { texts, throughSeq }
    },
  }
}
