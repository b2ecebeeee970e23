import { existsSync } from 'node:fs'
import { findBrokenSessions } from './broken-sessions.ts'
import type { Patient } from './examine.ts'
import { RESTORE, fail, ok, warn, type Finding } from './finding.ts'
import { openInspection } from './open-inspection.ts'

const MOST_SHOWN = 5

/** The file as SQLite sees it, then every log as the engine reads it. */
export async function checkDatabase({ databaseFile }: Patient): Promise<readonly Finding[]> {
  if (!existsSync(databaseFile)) {
    return [warn('database', `${databaseFile} does not exist.`, 'The first start makes it: polylogue serve')]
  }
  const inspection = openInspection(databaseFile)
  if (inspection === undefined) {
    return [fail('database', `${databaseFile} is not a Polylogue database, or its first page is damaged.`, RESTORE)]
  }
  try {
    const damage = inspection.integrity()
    if (damage.length > 0) {
      return [fail('database', `${databaseFile} is damaged: ${shorten(damage)}.`, RESTORE)]
    }
    const findings = [
      ok('database', `${databaseFile} is sound (schema ${inspection.schemaVersion}).`),
      ...checkMemories(inspection.damagedMemories()),
      ...checkSchedules(inspection.damagedSchedules()),
    ]
    const { sessions, events, problems } = findBrokenSessions(inspection)
    const counted = `${sessions} sessions with ${events} events`
    if (problems.length === 0) return [...findings, ok('sessions', `${counted}, all readable.`)]
    const text = `Of ${counted}, ${problems.length} cannot be trusted: ${shorten(problems)}.`
    return [...findings, fail('sessions', text, `The others are not affected. ${RESTORE}`)]
  } finally {
    inspection.close()
  }
}

function checkMemories(damaged: readonly number[]): readonly Finding[] {
  if (damaged.length === 0) return []
  const text = `These memories cannot be trusted: ${shorten(damaged.map(String))}.`
  return [fail('memories', text, `Until they are removed, nothing is recalled for their users. ${RESTORE}`)]
}

function checkSchedules(damaged: readonly string[]): readonly Finding[] {
  if (damaged.length === 0) return []
  const text = `These schedules cannot be trusted: ${shorten(damaged)}.`
  return [fail('schedules', text, `They do not run until they are removed. ${RESTORE}`)]
}

function shorten(problems: readonly string[]): string {
  const more = problems.length > MOST_SHOWN ? `; and ${problems.length - MOST_SHOWN} more` : ''
  return problems.slice(0, MOST_SHOWN).join('; ') + more
}
