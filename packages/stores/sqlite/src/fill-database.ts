import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { DAY_MS, StorageFault, asUserId, type Clock, type TransferRow } from '@polylogue/engine'
import { memoryIn, toBatches, transferColumns, type TransferBatch, type TransferTable } from '@polylogue/store-rows'
import { lockDatabase } from './database-lock.ts'
import { createMemoryRows } from './memory-rows.ts'
import { migrate } from './migrate.ts'
import { openDatabase } from './open-database.ts'

const BUSY_WAIT_MS = 5_000

/** Creates the file if there is none. Its search index is filled when a server opens it. */
export async function fillDatabase(file: string, rows: AsyncIterable<TransferRow>, clock: Clock): Promise<void> {
  if (!existsSync(dirname(file)))
    throw new StorageFault('broken', `${file} cannot be created: there is no directory ${dirname(file)}.`)
  const lock = lockDatabase(file)
  if (lock === undefined) throw new StorageFault('busy', `${file} is in use by another process. Stop it first.`)
  try {
    const db = openDatabase(file)
    try {
      await migrate(db, { clock, busyWaitMs: BUSY_WAIT_MS })
      lock.created()
      await fill(db, rows)
    } finally {
      db.close()
    }
  } finally {
    lock.release()
  }
}

async function fill(db: DatabaseSync, rows: AsyncIterable<TransferRow>): Promise<void> {
  db.exec('BEGIN IMMEDIATE')
  try {
    if (db.prepare('SELECT 1 FROM sessions UNION ALL SELECT 1 FROM keys LIMIT 1').get() !== undefined)
      throw new StorageFault('broken', 'The target already holds sessions or keys. Name an empty database.')
    for await (const batch of toBatches(rows)) write(db, batch)
    db.exec(DERIVED)
    db.exec('COMMIT')
  } catch (error) {
    db.exec('ROLLBACK')
    throw error
  }
}

function write(db: DatabaseSync, { table, rows }: TransferBatch): void {
  if (table === 'memories') {
    const memories = createMemoryRows(db)
    for (const row of rows) memories.insert(asUserId(String(row['user_id'])), memoryIn(row).memory)
    return
  }
  const { sql, columns } = INSERTS[table] ?? plainInsert(table)
  const insert = db.prepare(sql)
  for (const row of rows) insert.run(...columns.map((column): SQLInputValue => row[column] ?? null))
}

interface Insert {
  readonly sql: string
  readonly columns: readonly string[]
}

/** Tables of a session that do not repeat its user. */
const WITHOUT_USER: ReadonlySet<TransferTable> = new Set([
  'events',
  'snapshots',
  'drafts',
  'names',
  'blobs',
  'secrets',
  'schedule_slots',
])

function plainInsert(table: TransferTable): Insert {
  const all = transferColumns(table).map(([column]) => column)
  const columns = WITHOUT_USER.has(table) ? all.filter((column) => column !== 'user_id') : all
  return {
    sql: `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    columns,
  }
}

const sessionColumns = transferColumns('sessions').map(([column]) => column)

const INSERTS: Readonly<Partial<Record<TransferTable, Insert>>> = {
  sessions: {
    sql: `INSERT INTO sessions (${sessionColumns.join(', ')}, lease_until)
      VALUES (${sessionColumns.map(() => '?').join(', ')}, 0)`,
    columns: sessionColumns,
  },
  receipts: {
    sql: `INSERT INTO receipts (session_id, user_id, key, fingerprint, turn_id, seq) VALUES (?, ?, ?, ?, ?, ?)`,
    columns: ['session_id', 'by_user', 'key', 'fingerprint', 'turn_id', 'seq'],
  },
  deleted_sessions: {
    sql: 'INSERT INTO deleted_sessions (session_id, is_purged) VALUES (?, 1)',
    columns: ['session_id'],
  },
}

/** See usage-writes.ts and append.ts, which keep these sums up to date. */
const DERIVED = `
  INSERT INTO user_sizes (user_id, stored_bytes) SELECT user_id, sum(stored_bytes) FROM sessions GROUP BY user_id;
  INSERT INTO usage_days (key_id, day, user_id, agent, model, kind, currency, calls, untold, unpriced, input_tokens,
    output_tokens, cached_input_tokens, cache_write_tokens, reasoning_tokens, nano, last_at)
  SELECT coalesce(key_id, ''), at / ${DAY_MS}, user_id, agent, model, kind, coalesce(currency, ''), count(*),
    sum(is_told = 0), sum(is_told = 1 AND nano IS NULL), sum(input_tokens), sum(output_tokens),
    sum(cached_input_tokens), sum(cache_write_tokens), sum(reasoning_tokens), sum(coalesce(nano, 0)), max(at)
  FROM usage GROUP BY 1, 2, 3, 4, 5, 6, 7;
`
