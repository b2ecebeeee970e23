import { expect, it } from 'vitest'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { createTempDir } from '../../support/temp-dir.ts'
import { COUNTS } from '../counts.ts'
import { injectionsOf } from '../io-error/injections.ts'
import { startStopwatch, tellProof } from '../proof-result.ts'
import { sideBySide } from '../side-by-side.ts'
import { type GoldenLog, readGoldenLogs, readStates, restoreGoldenLog } from './golden-log.ts'
import { killBetweenMigrations, killMigration } from './kill-migration.ts'

it('every golden log reads as written, and a kill during a migration leaves nothing half-done', async () => {
  const seconds = startStopwatch()
  const { width, proof } = COUNTS.upgrade
  const logs = readGoldenLogs()
  const points = [undefined, ...logs].flatMap((log) => injectionsOf(proof).map((injection) => ({ injection, log })))
  const outcomes = [...(await sideBySide(points, width, ({ injection, log }) => killMigration(injection, log)))]
  const steps = [undefined, ...logs].flatMap((log) =>
    Array.from({ length: newestOf(logs) - (log?.schemaVersion ?? 0) }, (_, index) => ({ log, step: index + 1 })),
  )
  outcomes.push(...(await sideBySide(steps, width, ({ log, step }) => killBetweenMigrations(step, log))))
  const killed = outcomes.filter(({ wasKilled }) => wasKilled)
  const differing = await sideBySide(logs, 1, differencesOf)
  const failed = [...killed.flatMap(({ problems }) => problems), ...differing.flat()]
  tellProof({
    id: 'F22',
    what: `${logs.length} golden logs read as they were written; kills at every write of a migration and before each migration`,
    count: killed.length + logs.length,
    failures: failed.length,
    complaints: failed.flat(),
    seed: '–',
    seconds: seconds(),
  })
  expect(failed).toEqual([])
  expect(killed.length).toBeGreaterThan(50)
}, 600_000)

const newestOf = (logs: readonly GoldenLog[]): number => Math.max(...logs.map(({ schemaVersion }) => schemaVersion))

async function differencesOf(log: GoldenLog): Promise<readonly string[]> {
  const temp = await createTempDir()
  try {
    const file = join(temp.path, 'polylogue.db')
    restoreGoldenLog(log, file)
    const states = await readStates(file)
    return Object.keys(log.states).filter((id) => !isDeepStrictEqual(states[id], log.states[id]))
  } finally {
    await temp.remove()
  }
}
