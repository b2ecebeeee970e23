// A sample of the suites of the doors, on Postgres: each server of these files gets a database of its own. All of them
// run in tests/cluster/doors, by `npm run proof -- doors`.
import { describe } from 'vitest'
import { createTestDatabase } from '../support/test-database.ts'
import { useDatabases } from '../support/databases.ts'

useDatabases(createTestDatabase)

describe('cluster 4: AAP on Postgres', async () => {
  await import('../aap/list-get-delete.test.ts')
  await import('../aap/repeat-and-cancel.test.ts')
  await import('../aap/event-ids.test.ts')
})

describe('cluster 5: Blade on Postgres', async () => {
  await import('../blade/rest.test.ts')
})

describe('console 22, 43: the API of the console on Postgres', async () => {
  await import('../console/protocol.test.ts')
})

describe('cluster 6: ACP on Postgres', async () => {
  await import('../acp/two-doors.test.ts')
})
