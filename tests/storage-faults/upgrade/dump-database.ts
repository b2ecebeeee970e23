import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'

/** A database as SQL, its mark and version included. Rows in the order of their keys. */
export function dumpDatabase(file: string): { readonly version: number; readonly sql: string } {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    const pragma = (name: string): number => Number(db.prepare(`PRAGMA ${name}`).get()?.[name])
    const schema = db
      .prepare("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type = 'index'")
      .all()
    const lines = [
      `PRAGMA application_id = ${pragma('application_id')};`,
      `PRAGMA user_version = ${pragma('user_version')};`,
    ]
    for (const { type, name, sql } of schema) {
      lines.push(`${String(sql)};`)
      if (type !== 'table') continue
      for (const row of db.prepare(`SELECT * FROM ${String(name)}`).all()) {
        lines.push(`INSERT INTO ${String(name)} VALUES (${Object.values(row).map(toLiteral).join(', ')});`)
      }
    }
    return { version: pragma('user_version'), sql: `${lines.join('\n')}\n` }
  } finally {
    db.close()
  }
}

function toLiteral(value: SQLOutputValue): string {
  if (value === null) return 'NULL'
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  return value instanceof Uint8Array ? `x'${Buffer.from(value).toString('hex')}'` : String(value)
}
