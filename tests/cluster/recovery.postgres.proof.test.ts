import { it } from 'vitest'
import { proveRecoveries } from '../proof/prove-kills.ts'
import { useDatabases } from '../support/databases.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { KILLS_ON_POSTGRES } from './support/kills-on-postgres.ts'

useDatabases(createTestDatabase)

it('cluster 7: F3: a server on Postgres is killed while it recovers, some twice', () =>
  proveRecoveries(KILLS_ON_POSTGRES))
