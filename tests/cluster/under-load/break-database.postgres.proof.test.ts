import { expect, it } from 'vitest'
import { proofSize, startStopwatch, tellProof } from '../../storage-faults/proof-result.ts'
import { createTestDatabase } from '../../support/test-database.ts'
import { freezeDatabase, killDatabase, loseAnswers } from './break-database.ts'

const SEED = process.env['POLYLOGUE_PROOF_SEED'] ?? 'willow'
const [SECOND, MINUTE] = [1_000, 60_000]
/** Two seconds, where one is promised: clients and nodes share the cores. */
const CANCEL_WITHIN_MS = 2_000
const store = 'postgres'

it('cluster 38: F6: a database stands still under load', async () => {
  const seconds = startStopwatch()
  const times = (count: number, ms: number) => Array.from({ length: proofSize(count) }, () => ms)
  const pausesMs = [...times(30, SECOND), ...times(18, 5 * SECOND), ...times(2, MINUTE)]
  const { turns, complaints } = await freezeDatabase({ pausesMs, cancelWithinMs: CANCEL_WITHIN_MS })
  tellProof({
    id: 'F6',
    what: `the whole database is paused for 1, 5 or 60 s while two nodes work (${turns} turns): cancels are answered, other requests get 503, nothing is lost or runs twice, I1–I9 hold`,
    ...{ store, count: pausesMs.length, failures: complaints.length, complaints, seed: '–', seconds: seconds() },
  })
  expect(complaints).toEqual([])
})

it('cluster 39: F7: a database and its connections are killed under load', async () => {
  const seconds = startStopwatch()
  const plan = { restarts: proofSize(100), backends: proofSize(500) }
  const { turns, complaints } = await killDatabase(plan)
  tellProof({
    id: 'F7',
    what: `the database dies and starts again (${plan.restarts} times), and single connections are killed, while two nodes work (${turns} turns): nothing that was acknowledged is lost, watchers catch up, I1–I9 hold`,
    count: plan.restarts + plan.backends,
    ...{ store, failures: complaints.length, complaints, seed: '–', seconds: seconds() },
  })
  expect(complaints).toEqual([])
})

it('cluster 40: F8: the answers to commits are lost', async () => {
  const seconds = startStopwatch()
  const database = await createTestDatabase()
  const { lost, complaints } = await loseAnswers(database.url, { answers: proofSize(500), seed: SEED })
  await database.drop()
  tellProof({
    id: 'F8',
    what: 'the database commits and its answer is lost, together with the connection: the client sees success, and one turn',
    ...{ store, count: lost, failures: complaints.length, complaints, seed: SEED, seconds: seconds() },
  })
  expect(complaints).toEqual([])
})
