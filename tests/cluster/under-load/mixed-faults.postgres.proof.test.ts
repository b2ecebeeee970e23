import { expect, it } from 'vitest'
import { proofSize, startStopwatch, tellProof } from '../../storage-faults/proof-result.ts'
import { mixFaults } from './mixed-faults.ts'

const SEED = process.env['POLYLOGUE_PROOF_SEED'] ?? 'willow'
const FAULTS = 100
/** Nodes that are cut off, and then killed, need the most. */
const WELL_WITHIN_MS = 30_000

it('cluster 34, 35, 36, 37, 38, 39: mixed: faults of every kind, one after the other', async () => {
  const seconds = startStopwatch()
  const count = proofSize(FAULTS)
  const { turns, complaints } = await mixFaults({ faults: count, seed: SEED, wellWithinMs: WELL_WITHIN_MS })
  tellProof({
    id: 'mixed',
    what: `three nodes under load (${turns} turns) are killed, frozen, restarted or cut off, alone or together; the database is killed, frozen, locked, vacuumed or crowded; connections are ended, reset or slow: all turns finish, nothing is lost or runs twice, watchers catch up, nothing is left running, I1–I9 hold`,
    store: 'postgres',
    ...{ count, failures: complaints.length, complaints, seed: SEED, seconds: seconds() },
  })
  expect(complaints).toEqual([])
})
