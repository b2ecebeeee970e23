import { expect, it } from 'vitest'
import { createSeededRandom } from '../storage-faults/seeded-random.ts'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { compareWithLooking } from './compare-with-looking.ts'
import { HOURLY_CRONS } from './crons.ts'
import { playSchedules } from './play-schedules.ts'
import { ZONES } from './zones.ts'

const SEED = process.env['POLYLOGUE_PROOF_SEED'] ?? 'willow'
const EXPRESSIONS = 10_000

it('F15: two million slots', async () => {
  const seconds = startStopwatch()
  const { int } = createSeededRandom(SEED)
  const { slots, deaths, complaints } = await playSchedules({
    random: () => int(2 ** 32) / 2 ** 32,
    from: Date.UTC(2010, 0),
    until: Date.UTC(2030, 0),
    crons: HOURLY_CRONS,
  })
  tellProof({
    id: 'F15',
    what: `slots of twenty years in ${ZONES.length} zones, three processes killed ${deaths} times, clocks moved by an hour or a day, changed time zone rules: each slot has one outcome and runs once`,
    count: slots,
    failures: complaints.length,
    seed: SEED,
    seconds: seconds(),
    complaints,
  })
  expect(complaints).toEqual([])
  expect(slots).toBeGreaterThan(2_000_000)
})

it('F15: ten thousand expressions', async () => {
  const seconds = startStopwatch()
  const complaints = await compareWithLooking({ runs: EXPRESSIONS, seed: createSeededRandom(SEED).int(2 ** 31) })
  tellProof({
    id: 'F15',
    what: 'random cron expressions in random zones: the same slots as a search through every minute finds',
    count: EXPRESSIONS,
    failures: complaints.length,
    seed: SEED,
    seconds: seconds(),
    complaints,
  })
  expect(complaints).toEqual([])
})
