import { openPostgresStores } from '@polylogue/store-postgres'
import { expect, it } from 'vitest'
import { DAILY_CRONS } from '../schedules/crons.ts'
import { playSchedules } from '../schedules/play-schedules.ts'
import { ZONES } from '../schedules/zones.ts'
import { proofSize, startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { createSeededRandom } from '../storage-faults/seeded-random.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { createSettlingStore } from './support/settling-store.ts'

const SEED = process.env['POLYLOGUE_PROOF_SEED'] ?? 'willow'
const DAYS = 365
const DAY = 24 * 3_600_000
const FROM = Date.UTC(2025, 0)

it('F15: the slots of a year on Postgres', async () => {
  const seconds = startStopwatch()
  const database = await createTestDatabase()
  const clock = { now: () => Date.now(), setTimer: () => ({ cancel: () => undefined }) }
  const stores = await openPostgresStores({ url: database.url, clock })
  const { int } = createSeededRandom(SEED)
  const { slots, deaths, complaints } = await playSchedules({
    random: () => int(2 ** 32) / 2 ** 32,
    from: FROM,
    until: FROM + proofSize(DAYS) * DAY,
    crons: DAILY_CRONS,
    ...createSettlingStore(stores.schedules),
  })
  await stores.close()
  await database.drop()
  tellProof({
    id: 'F15',
    what: `slots of a year in ${ZONES.length} zones, three processes killed ${deaths} times, clocks moved by an hour or a day, changed time zone rules: each slot has one outcome and runs once`,
    ...{ store: 'postgres', count: slots, failures: complaints.length, complaints, seed: SEED, seconds: seconds() },
  })
  expect(complaints).toEqual([])
  expect(slots).toBeGreaterThan(proofSize(DAYS) * ZONES.length * 0.5)
})
