import { expect, it } from 'vitest'
import { countHits } from '../crash/crash-cycle.ts'
import { everyPoint, playCycles } from '../proof/play-cycles.ts'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { createSeededRandom } from '../storage-faults/seeded-random.ts'
import { useDatabases } from '../support/databases.ts'
import { createTestDatabase } from '../support/test-database.ts'

const SEED = process.env['POLYLOGUE_PROOF_SEED'] ?? 'willow'
const RANDOM_KILLS = 1000
/** A little longer than the script takes. */
const SCRIPT_MS = 900

useDatabases(createTestDatabase)

it('cluster 7: F1: a server on Postgres is killed at every hit of every failpoint', async () => {
  const seconds = startStopwatch()
  const points = everyPoint(await countHits())
  const { reached, complaints } = await playCycles(points.map((point) => [point]))
  tellProof({
    id: 'F1',
    what: `kill -9 at every hit of every failpoint (${reached} died there, the others just after), then the next node finishes the script: I1–I9 hold`,
    store: 'postgres',
    count: points.length,
    failures: complaints.length,
    complaints,
    seed: '–',
    seconds: seconds(),
  })
  expect(complaints).toEqual([])
  expect(reached).toBeGreaterThan(points.length * 0.7)
})

it('cluster 7: F1: a server on Postgres is killed at any moment', async () => {
  const seconds = startStopwatch()
  const random = createSeededRandom(SEED)
  const cycles = Array.from({ length: RANDOM_KILLS }, () => [{ afterMs: random.int(SCRIPT_MS * 10) / 10 }])
  const { reached, complaints } = await playCycles(cycles)
  tellProof({
    id: 'F1',
    what: `kill -9 at random moments (${reached} before the script was over), then the next node finishes it: I1–I9 hold`,
    store: 'postgres',
    count: cycles.length,
    failures: complaints.length,
    complaints,
    seed: SEED,
    seconds: seconds(),
  })
  expect(complaints).toEqual([])
})
