import { StorageFault } from '@polylogue/engine'
import { findBrokenSessions } from './broken-sessions.ts'
import type { Patient } from './examine.ts'
import { RESTORE, fail, ok, warn, type Finding } from './finding.ts'

const MOST_SHOWN = 5

/** Asks the database about its own structure, then reads every log as the engine does. */
export async function checkDatabase({ storage }: Patient): Promise<readonly Finding[]> {
  const { name, exists } = await storage.describe()
  if (!exists) return [warn('database', `${name} does not exist.`, 'The first start creates it: polylogue serve')]
  const inspection = await storage.inspect().catch(toUnreadable)
  if (inspection instanceof StorageFault) return [fail('database', inspection.message, remedyOf(inspection))]
  try {
    const damage = await inspection.integrity()
    if (damage.length > 0) return [fail('database', `${name} is damaged: ${shorten(damage)}.`, RESTORE)]
    const findings = [
      ok('database', `${name} is sound (schema ${inspection.schemaVersion}).`),
      ...checkMemories(await inspection.damagedMemories()),
      ...checkSchedules(await inspection.damagedSchedules()),
    ]
    const { sessions, events, problems } = await findBrokenSessions(inspection)
    const counted = `${sessions} sessions with ${events} events`
    if (problems.length === 0) return [...findings, ok('sessions', `${counted}, all readable.`)]
    const text = `Of ${counted}, ${problems.length} cannot be trusted: ${shorten(problems)}.`
    return [...findings, fail('sessions', text, `The others are not affected. ${RESTORE}`)]
  } finally {
    await inspection.close()
  }
}

/** What a newer server has written is sound. */
const remedyOf = ({ message }: StorageFault): string =>
  /newer/.test(message) ? 'Run the version that the other nodes have.' : RESTORE

/** Not a storage of ours, or too damaged to open. Any other error is rethrown. */
export function toUnreadable(error: unknown): StorageFault {
  if (error instanceof StorageFault && error.kind === 'broken') return error
  throw error
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
