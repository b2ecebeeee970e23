import type { DatabaseSync } from 'node:sqlite'
import { damaged, textIn } from '@polylogue/store-rows'

/**
 * Tables in which damage would look like absence: a session missing from lists, a lost key, a rule that no longer
 * denies. SQLite does not notice when a table and its indexes disagree, so they are compared at every open. The tables
 * are small: 100,000 sessions take 60 ms. Everything else is checked when it is read, so that one damaged session does
 * not affect the others.
 */
const CATALOGUES = ['sessions', 'secrets', 'keys', 'rules', 'memories', 'schedules', 'schedule_slots'] as const

export function refuseDamagedCatalogues(db: DatabaseSync, file: string): void {
  const tables = new Set(
    db
      .prepare('SELECT name FROM sqlite_schema')
      .all()
      .map((row) => textIn(row, 'name')),
  )
  for (const table of CATALOGUES.filter((name) => tables.has(name))) {
    const [first] = db.prepare(`PRAGMA integrity_check('${table}')`).all()
    const finding = textIn(first ?? {}, 'integrity_check')
    if (finding !== 'ok') throw damaged(`${file} is damaged: ${oneLine(finding)}.`)
  }
}

/** Removes the headline that SQLite puts above its findings. */
const oneLine = (finding: string): string =>
  finding
    .split('\n')
    .filter((line) => !line.startsWith('***'))
    .join('; ')
