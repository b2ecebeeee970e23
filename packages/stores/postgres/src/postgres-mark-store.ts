import type { MarkStore } from '@polylogue/engine'
import { checksumOfMark, markIn } from '@polylogue/store-rows'
import type { Database } from './database.ts'

export function createPostgresMarkStore(db: Database): MarkStore {
  return {
    async keep(sessionId, { door, format }, marks) {
      const rows = marks.map((mark) => [mark.seq, mark.content, checksumOfMark(mark, { sessionId, door, format })])
      const text = 'SELECT polylogue.keep_marks($1, $2, $3, $4::jsonb)'
      // A mark that is kept twice is kept once.
      await db.read({ name: 'keep_marks', text, values: [sessionId, door, format, JSON.stringify(rows)] })
    },
    async read(sessionId, { door, format }) {
      const text = 'SELECT * FROM polylogue.read_marks($1, $2, $3)'
      const rows = await db.read({ name: 'read_marks', text, values: [sessionId, door, format] })
      return rows.flatMap((row) => markIn(row, { sessionId, door, format }) ?? [])
    },
  }
}
