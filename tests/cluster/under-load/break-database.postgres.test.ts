// Samples. `npm run proof -- F6 F7 F8 --store=postgres` has all of them.
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../support/test-database.ts'
import { freezeDatabase, killDatabase, loseAnswers } from './break-database.ts'

it('cluster 38: F6: a database that stands still delays clients, and costs them nothing', async () => {
  const pausesMs = [1_000, 1_000, 1_000, 1_000, 1_000, 5_000]
  const { turns, complaints } = await freezeDatabase({ pausesMs, cancelWithinMs: 20_000 })
  expect(complaints).toEqual([])
  expect(turns).toBeGreaterThan(8)
}, 240_000)

it('cluster 39: F7: a database that is killed again and again loses nothing', async () => {
  const { turns, complaints } = await killDatabase({ restarts: 5, backends: 20 })
  expect(complaints).toEqual([])
  expect(turns).toBeGreaterThan(8)
}, 240_000)

it('cluster 40: F8: a client sees success, and one turn, when the database answers into the void', async () => {
  const database = await createTestDatabase()
  const { complaints } = await loseAnswers(database.url, { answers: 20, seed: 'willow' })
  await database.drop()
  expect(complaints).toEqual([])
}, 120_000)
