import { DatabaseSync } from 'node:sqlite'
import { foldTitle, type TransferRow } from '@polylogue/engine'
import { toTransferRow, transferTables, type Row, type TransferTable } from '@polylogue/store-rows'

const ownRows = (table: string): string => `SELECT * FROM ${table} ORDER BY rowid`
const sessionRows = (table: string): string =>
  `SELECT t.*, s.user_id FROM ${table} AS t JOIN sessions AS s USING (session_id) ORDER BY t.session_id`

const SELECTS: Readonly<Record<TransferTable, string>> = {
  sessions: 'SELECT * FROM sessions ORDER BY session_id',
  events: `${sessionRows('events')}, t.seq`,
  snapshots: sessionRows('snapshots'),
  drafts: sessionRows('drafts'),
  receipts: `SELECT t.*, t.user_id AS by_user, s.user_id FROM receipts AS t JOIN sessions AS s USING (session_id)`,
  names: sessionRows('names'),
  blobs: sessionRows('blobs'),
  secrets: sessionRows('secrets'),
  listings: 'SELECT t.* FROM listings AS t JOIN sessions USING (session_id)',
  deleted_sessions: 'SELECT session_id FROM deleted_sessions ORDER BY session_id',
  usage: 'SELECT * FROM usage ORDER BY at, session_id, call_id',
  users: ownRows('users'),
  keys: ownRows('keys'),
  rules: ownRows('rules'),
  memories: ownRows('memories'),
  schedules: ownRows('schedules'),
  schedule_slots: `SELECT t.*, s.user_id FROM schedule_slots AS t JOIN schedules AS s USING (schedule_id)
    ORDER BY t.schedule_id, t.slot_at`,
}

/** The schema of the file must be the newest one. */
export async function* dumpDatabase(file: string): AsyncGenerator<TransferRow> {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000, enableForeignKeyConstraints: false })
  try {
    db.exec('BEGIN')
    for (const table of transferTables) {
      for (const row of db.prepare(SELECTS[table]).iterate()) yield toTransferRow(table, adapt(table, row))
    }
  } finally {
    db.close()
  }
}

const adapt = (table: TransferTable, row: Row): Row =>
  table === 'listings' && typeof row['title'] === 'string' ? { ...row, title: foldTitle(row['title']) } : row
