import { expect, it } from 'vitest'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { createSeededRandom } from '../storage-faults/seeded-random.ts'
import { killOwner } from './support/kill-owner.ts'

const SEED = process.env['POLYLOGUE_PROOF_SEED'] ?? 'rowan'
const KILLS = 100

it(`F1: the owner behind an editor is killed ${KILLS} times`, async () => {
  const seconds = startStopwatch()
  const random = createSeededRandom(SEED)
  const complaints: string[] = []
  for (let kill = 0; kill < KILLS; kill++) {
    const complaint = await killOwner(random)
    if (complaint !== undefined) complaints.push(`kill ${kill}: ${complaint}`)
  }
  tellProof({
    id: 'F1',
    what: "kill -9 of the owner behind an editor's pipe at random moments: its prompts are answered, its session goes on in the editor's own process",
    count: KILLS,
    failures: complaints.length,
    complaints,
    seed: SEED,
    seconds: seconds(),
  })
  expect(complaints).toEqual([])
})
