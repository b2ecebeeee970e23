import { StorageFault, type TransferRow } from '@polylogue/engine'
import { toTransferRow, transferTables, type TransferTable } from '@polylogue/store-rows'
import type pg from 'pg'
import { UNHURRIED, connect } from './connect.ts'
import { toFault } from './postgres-fault.ts'
import { toRow } from './to-text.ts'

const ownRows = (table: string, order: string): string => `SELECT * FROM polylogue.${table} ORDER BY ${order}`

const SELECTS: Readonly<Record<TransferTable, string>> = {
  sessions: ownRows('sessions', 'session_id'),
  events: ownRows('events', 'session_id, seq'),
  snapshots: ownRows('snapshots', 'session_id'),
  drafts: `SELECT user_id, session_id, step_id, block, min(kind) AS kind, string_agg(text, '' ORDER BY part_offset) AS text,
    max(reserved_batches) AS reserved_batches FROM polylogue.draft_parts GROUP BY user_id, session_id, step_id, block
    ORDER BY session_id, step_id, block`,
  receipts: ownRows('receipts', 'session_id, by_user, key'),
  names: ownRows('names', 'session_id, name'),
  blobs: ownRows('blobs', 'session_id, hash'),
  secrets: ownRows('secrets', 'session_id, name'),
  listings: ownRows('listings', 'session_id'),
  deleted_sessions: ownRows('deleted_sessions', 'session_id'),
  usage: ownRows('usage', 'at, session_id, call_id'),
  users: ownRows('users', 'user_id'),
  keys: ownRows('keys', 'created_at, id'),
  rules: ownRows('rules', 'user_id, place'),
  memories: ownRows('memories', 'memory_id'),
  schedules: ownRows('schedules', 'entry'),
  schedule_slots: ownRows('schedule_slots', 'schedule_id, slot_at'),
}

/** Rows may be large, such as attachments. */
const FETCH_ROWS = 50

/** The schema must be the newest one. */
export async function* dumpDatabase(url: string): AsyncGenerator<TransferRow> {
  const client = await connect(url)
  try {
    await refuseUsed(client)
    await purgeDeleted(client)
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await client.query(`${UNHURRIED}; SET LOCAL polylogue.system = 'on'`)
    await refuseUsed(client)
    for (const table of transferTables) {
      await client.query(`DECLARE moved NO SCROLL CURSOR FOR ${SELECTS[table]}`)
      for (;;) {
        const { rows } = await client.query<Record<string, unknown>>(`FETCH ${FETCH_ROWS} FROM moved`)
        for (const row of rows) yield toTransferRow(table, toRow(row))
        if (rows.length < FETCH_ROWS) break
      }
      await client.query('CLOSE moved')
    }
  } catch (error) {
    throw error instanceof StorageFault ? error : toFault(error)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** A node may have died before it had deleted all that belonged to a session. */
async function purgeDeleted(client: pg.Client): Promise<void> {
  for (;;) {
    await client.query(`BEGIN; ${UNHURRIED}`)
    const { rows } = await client.query<{ isMore: boolean }>('SELECT polylogue.purge_deleted(NULL) AS "isMore"')
    await client.query('COMMIT')
    if (rows[0]?.isMore !== true) return
  }
}

/** A running node would keep writing to the old database. */
async function refuseUsed(client: pg.Client): Promise<void> {
  const text = 'SELECT 1 FROM polylogue.nodes WHERE role IS NOT NULL AND lease_until > polylogue.now_ms() LIMIT 1'
  if ((await client.query(text)).rows.length > 0)
    throw new StorageFault('busy', 'The database is in use by a node. Stop all nodes first.')
}
