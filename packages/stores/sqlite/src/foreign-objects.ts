import type { DatabaseSync } from 'node:sqlite'
import { textIn } from '@polylogue/store-rows'

/**
 * Triggers and views of a database, which no version of ours creates. A file from outside could carry them: they would
 * run inside our own statements, for example to add a key whenever one is used.
 */
export function foreignObjectsIn(db: DatabaseSync): readonly string[] {
  return db
    .prepare("SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'view') ORDER BY name LIMIT 10")
    .all()
    .map((row) => `the ${textIn(row, 'type')} ${JSON.stringify(textIn(row, 'name').slice(0, 100))} is not ours`)
}

/** Columns that are computed, and not stored as we wrote them. */
export function computedColumnsIn(db: DatabaseSync): readonly string[] {
  return db
    .prepare(
      `SELECT tables.name AS name, columns.name AS field FROM sqlite_schema AS tables, pragma_table_xinfo(tables.name) AS columns
       WHERE tables.type = 'table' AND tables.sql NOT LIKE 'CREATE VIRTUAL TABLE%' AND columns.hidden IN (2, 3) LIMIT 10`,
    )
    .all()
    .map((row) => `the column ${textIn(row, 'name')}.${textIn(row, 'field')} is computed, which is not ours`)
}
