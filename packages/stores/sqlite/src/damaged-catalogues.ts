import type { DatabaseSync } from 'node:sqlite'
import { damaged } from './damage.ts'
import { textIn } from './rows.ts'

/**
 * The tables in which damage would show as absence: a session that no list shows, a key that nobody has, a rule that
 * denies nothing any more, a memory or a schedule that nobody has any more. SQLite does not notice by itself when a table
 * and its indexes disagree. They are small: 100,000 sessions take 60 ms. Everything else is checked when it is read, so
 * that one damaged session does not cost the others.
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

/** SQLite puts what it finds under a headline. */
const oneLine = (finding: string): string =>
  finding
    .split('\n')
    .filter((line) => !line.startsWith('***'))
    .join('; ')
