import { afterAll, afterEach, describe } from 'vitest'
import { startStopwatch, tellProof } from '../../storage-faults/proof-result.ts'
import { dropDatabases, useDatabases } from '../../support/databases.ts'
import { createTestDatabase } from '../../support/test-database.ts'

type Suite = () => Promise<void>

/** Runs the suites of a door on Postgres, each of its servers with a database of its own, and tells how many tests passed. */
export function proveSuites(door: string, rule: number, suites: readonly Suite[]): void {
  useDatabases(createTestDatabase)
  const seconds = startStopwatch()
  const complaints: string[] = []
  let count = 0
  afterEach(({ task }) => {
    count++
    if (task.result?.state === 'fail') complaints.push(task.name)
  })
  afterAll(async () => {
    await dropDatabases()
    tellProof({
      ...{ id: 'doors', store: 'postgres', seed: 'none: all of them', seconds: seconds() },
      ...{ what: `tests of ${door}, the same as on SQLite`, count, failures: complaints.length, complaints },
    })
  })
  // One after the other: the hooks of a suite belong to the innermost block.
  for (const [index, load] of suites.entries())
    describe(`cluster ${rule}: ${door} on Postgres, part ${index + 1}`, async () => {
      await load()
    })
}
