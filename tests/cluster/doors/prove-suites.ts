import { afterAll, afterEach, beforeEach, describe } from 'vitest'
import { startStopwatch, tellProof } from '../../storage-faults/proof-result.ts'
import { dropDatabases, useDatabases } from '../../support/databases.ts'
import { createTestDatabase } from '../../support/test-database.ts'

/** These open the files of the embedded store. */
const ABOUT_FILES: readonly string[] = [
  'is in no file of the data directory in plain text, while the conversation is',
  'with an unreadable session gives a new one',
  'a session from Agentao is imported, loaded and continued in an editor, and exported again',
]

type Suite = () => Promise<void>

/** Runs the suites of a door on Postgres, each of its servers with a database of its own, and tells how many tests passed. */
export function proveSuites(door: string, rule: number, suites: readonly Suite[]): void {
  useDatabases(createTestDatabase)
  const seconds = startStopwatch()
  const complaints: string[] = []
  let count = 0
  beforeEach(({ task, skip }) => skip(ABOUT_FILES.includes(task.name), 'it opens the file of the embedded store'))
  afterEach(({ task }) => {
    if (ABOUT_FILES.includes(task.name)) return
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
