import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'

/** The search index contains no texts to dump. A database without it rebuilds it. */
const REBUILT: ReadonlySet<string> = new Set(['search_marks', 'search_words'])

/** A database as SQL, including its mark and version. Rows are in key order. */
export function dumpDatabase(file: string): { readonly version: number; readonly sql: string } {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    const pragma = (name: string): number => Number(db.prepare(`PRAGMA ${name}`).get()?.[name])
    // SQLite creates these itself: the tables behind a search index, and the id counters.
    const schema = db
      .prepare(
        `SELECT schema.type, schema.name, schema.sql, list.type AS kind FROM sqlite_schema AS schema
         LEFT JOIN pragma_table_list AS list ON list.name = schema.name
         WHERE sql IS NOT NULL AND list.type IS NOT 'shadow' AND schema.name NOT LIKE 'sqlite_%'
         ORDER BY schema.type = 'index', schema.rowid`,
      )
      .all()
    const lines = [
      `PRAGMA application_id = ${pragma('application_id')};`,
      `PRAGMA user_version = ${pragma('user_version')};`,
    ]
    for (const { type, name, sql, kind } of schema) {
      lines.push(`${String(sql)};`)
      if (type !== 'table' || REBUILT.has(String(name))) continue
      const columns = kind === 'virtual' ? 'rowid, *' : '*'
      for (const row of db.prepare(`SELECT ${columns} FROM ${String(name)}`).all())
        lines.push(toInsert(String(name), row))
    }
    // The id of a removed row is not used again.
    for (const row of db
      .prepare('SELECT * FROM sqlite_sequence WHERE name IN (SELECT name FROM sqlite_schema)')
      .all()) {
      lines.push(`DELETE FROM sqlite_sequence WHERE name = ${toLiteral(row['name'] ?? null)};`)
      lines.push(toInsert('sqlite_sequence', row))
    }
    return { version: pragma('user_version'), sql: `${lines.join('\n')}\n` }
  } finally {
    db.close()
  }
}

function toInsert(table: string, row: Readonly<Record<string, SQLOutputValue>>): string {
  const values = Object.values(row).map(toLiteral).join(', ')
  return `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${values});`
}

function toLiteral(value: SQLOutputValue): string {
  if (value === null) return 'NULL'
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  return value instanceof Uint8Array ? `x'${Buffer.from(value).toString('hex')}'` : String(value)
}
