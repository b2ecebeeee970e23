// The storage of the smallest program: rows in SQLite, group-committed once per tick.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const directory = mkdtempSync(join(tmpdir(), 'polylogue-least-'))
const db = new DatabaseSync(join(directory, 'least.db'))
db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE sessions (id TEXT PRIMARY KEY, last_seq INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE events (id TEXT NOT NULL, seq INTEGER NOT NULL, data TEXT NOT NULL, PRIMARY KEY (id, seq)) WITHOUT ROWID`)
const insertSession = db.prepare('INSERT INTO sessions VALUES (?, 0)')
const updateSession = db.prepare('UPDATE sessions SET last_seq = last_seq + ? WHERE id = ? RETURNING last_seq')
const insertEvent = db.prepare('INSERT INTO events VALUES (?, ?, ?)')
const [begin, commit] = [db.prepare('BEGIN IMMEDIATE'), db.prepare('COMMIT')]

/** A write without events creates the session. */
export type Write = Readonly<{ id: string; events: readonly string[] }>

/** All writes are durable when it returns. */
export function commitTogether(group: readonly Write[]): void {
  begin.run()
  for (const { id, events } of group) {
    if (events.length === 0) insertSession.run(id)
    else {
      const first = Number(updateSession.get(events.length, id)?.['last_seq']) - events.length + 1
      for (const [index, event] of events.entries()) insertEvent.run(id, first + index, event)
    }
  }
  commit.run()
}

export function closeStore(): void {
  db.close()
  rmSync(directory, { recursive: true, force: true })
}

export const event = (text: string): string => JSON.stringify({ type: 'event', at: Date.now(), text })
export const ADMITTED = (script: string) => [event(script), event('turn.started'), event('step.started')]
export const ENDED = () => ['step.answered', 'step.ended', 'turn.ended', 'usage'].map(event)
