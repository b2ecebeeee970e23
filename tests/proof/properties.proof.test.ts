import { expect, it } from 'vitest'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { findPropertyFiles } from './property-files.ts'
import { runProperties } from './run-properties.ts'

const SEED = process.env['POLYLOGUE_PROOF_SEED'] ?? 'willow'
const ROUNDS = 10

it('the properties of npm test hold for other seeds', async () => {
  const seconds = startStopwatch()
  const files = findPropertyFiles()
  let tests = 0
  const complaints: string[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    const run = await runProperties(files, `${SEED} ${round}`)
    tests += run.tests
    complaints.push(...run.complaints)
  }
  tellProof({
    id: 'properties',
    what: `runs of the ${files.length} property tests, each time with other random choices (POLYLOGUE_SEED='${SEED} 1' and on): all hold`,
    count: ROUNDS,
    failures: complaints.length,
    seed: SEED,
    seconds: seconds(),
    complaints,
  })
  expect(complaints).toEqual([])
  expect(tests).toBeGreaterThan(ROUNDS * files.length)
})
