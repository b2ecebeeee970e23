import { EVENT_LEVELS, LOWEST_LEVEL, StorageFault, decodeEvent, memoryWords, type TransferRow } from '@polylogue/engine'
import { toBatches, transferColumns, type ColumnType, type TransferBatch } from '@polylogue/store-rows'
import type pg from 'pg'
import { UNHURRIED, withClient } from './connect.ts'
import { migrate } from './migrate.ts'
import { toWords, wordsOf } from './to-append-item.ts'
import { toText } from './to-text.ts'

/** Brings the schema up to date first. */
export async function fillDatabase(url: string, rows: AsyncIterable<TransferRow>): Promise<void> {
  await withClient(url, async (client) => {
    await migrate(client)
    await client.query('BEGIN')
    try {
      await client.query(`${UNHURRIED}; SET LOCAL polylogue.system = 'on'`)
      // Running nodes wait until the rows are there.
      await client.query('LOCK TABLE polylogue.sessions, polylogue.keys IN EXCLUSIVE MODE')
      await refuseFull(client)
      for await (const batch of toBatches(rows)) await write(client, batch)
      await client.query(DERIVED)
      await raiseLevels(client)
      await client.query('COMMIT')
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined)
      throw error
    }
  })
}

async function refuseFull(client: pg.Client): Promise<void> {
  const text = 'SELECT 1 FROM polylogue.sessions UNION ALL SELECT 1 FROM polylogue.keys LIMIT 1'
  if ((await client.query(text)).rows.length > 0)
    throw new StorageFault('broken', 'The target already holds sessions or keys. Name an empty database.')
}

async function write(client: pg.Client, batch: TransferBatch): Promise<void> {
  const { table, columns, rows } = toTarget(batch)
  const names = columns.map(([name]) => name)
  const arrays = columns.map(([, type], index) => `$${index + 1}::${SQL_TYPES[type]}[]`)
  const picked = names.map((name) => (name === 'words' && table === 'memories' ? `string_to_array(words, ' ')` : name))
  // Only memories have a key that the database would otherwise choose.
  const overriding = table === 'memories' ? 'OVERRIDING SYSTEM VALUE' : ''
  await client.query(
    `INSERT INTO polylogue.${table} (${names.join(', ')}) ${overriding}
     SELECT ${picked.join(', ')} FROM unnest(${arrays.join(', ')}) WITH ORDINALITY AS rows(${names.join(', ')}, row_place)
     ORDER BY row_place`,
    names.map((name) => rows.map((row) => toValue(row[name] ?? null))),
  )
  if (table !== 'events') return
  const spoken = rows.flatMap((row) => {
    const words = wordsIn(row)
    return words === null ? [] : [{ ...row, words }]
  })
  await client.query(
    `INSERT INTO polylogue.spoken_words (user_id, session_id, seq, words)
     SELECT * FROM unnest($1::text[], $2::text[], $3::int8[], $4::text[])`,
    ['user_id', 'session_id', 'seq', 'words'].map((name) =>
      spoken.map((row: TransferRow['values']) => toValue(row[name] ?? null)),
    ),
  )
}

function wordsIn(row: TransferRow['values']): string | null {
  try {
    return wordsOf(
      decodeEvent({ type: String(row['type']), version: Number(row['version']), data: String(row['data']) }),
    )
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const where = `Event ${String(row['seq'])} of session ${String(row['session_id'])}`
    throw new StorageFault(
      'broken',
      `${where} cannot be moved: ${reason}. polylogue doctor names all broken sessions.`,
      {
        cause: error,
      },
    )
  }
}

async function raiseLevels(client: pg.Client): Promise<void> {
  for (const [type, level] of Object.entries(EVENT_LEVELS)) {
    if (level === LOWEST_LEVEL) continue
    await client.query(
      `UPDATE polylogue.sessions SET level = $2 WHERE level < $2
       AND session_id IN (SELECT session_id FROM polylogue.events WHERE type = $1)`,
      [type, level],
    )
  }
}

const SQL_TYPES: Readonly<Record<ColumnType, string>> = { text: 'text', integer: 'int8', bytes: 'bytea' }

const toValue = (value: TransferRow['values'][string]): unknown => {
  if (typeof value === 'string') return toText(value)
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value
}

interface Target {
  readonly table: string
  readonly columns: readonly (readonly [string, ColumnType])[]
  readonly rows: readonly TransferRow['values'][]
}

/** Adds the columns that this database derives from the rows. */
function toTarget({ table, rows }: TransferBatch): Target {
  const columns = transferColumns(table)
  switch (table) {
    case 'drafts':
      return {
        table: 'draft_parts',
        columns: [...columns, ['part_offset', 'integer']],
        rows: withValue(rows, 'part_offset', () => 0),
      }
    case 'listings':
      return {
        table,
        columns: [...columns, ['title_words', 'text']],
        rows: withValue(
          rows.map((row) => ({ ...row, title: row['title'] ?? '' })),
          'title_words',
          (row) => toWords(String(row['title'])) ?? '',
        ),
      }
    case 'memories':
      return {
        table,
        columns: [...columns, ['words', 'text']],
        rows: withValue(rows, 'words', (row) => memoryWords(String(row['content'])).join(' ')),
      }
    case 'deleted_sessions':
      // The embedded store does not record their user.
      return { table, columns: [...columns, ['user_id', 'text']], rows: withValue(rows, 'user_id', () => '') }
    default:
      return { table, columns, rows }
  }
}

function withValue(
  rows: readonly TransferRow['values'][],
  column: string,
  valueOf: (row: TransferRow['values']) => string | number,
): readonly TransferRow['values'][] {
  return rows.map((row) => ({ ...row, [column]: valueOf(row) }))
}

const DERIVED = `
  INSERT INTO polylogue.user_sizes (user_id, stored_bytes)
    SELECT user_id, sum(stored_bytes) FROM polylogue.sessions GROUP BY user_id
    ON CONFLICT (user_id) DO UPDATE SET stored_bytes = excluded.stored_bytes;
  SELECT setval(pg_get_serial_sequence('polylogue.memories', 'memory_id'), max(memory_id)) FROM polylogue.memories
    HAVING max(memory_id) IS NOT NULL;
`
