// Record and replay on Postgres.
import { describe } from 'vitest'
import { createTestDatabase } from '../support/test-database.ts'
import { useDatabases } from '../support/test-server.ts'

useDatabases(createTestDatabase)

describe('record and replay on Postgres', async () => {
  await import('./recordings.test.ts')
  await import('./replay-cli.test.ts')
})
