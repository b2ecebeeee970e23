import { it } from 'vitest'
import { proveEveryPoint, proveRandomMoments } from '../proof/prove-kills.ts'
import { useDatabases } from '../support/databases.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { KILLS_ON_POSTGRES } from './support/kills-on-postgres.ts'

useDatabases(createTestDatabase)

it('cluster 7: F1: a server on Postgres is killed at every hit of every failpoint', () =>
  proveEveryPoint(KILLS_ON_POSTGRES))

it('cluster 7: F1: a server on Postgres is killed at any moment', () => proveRandomMoments(KILLS_ON_POSTGRES))
