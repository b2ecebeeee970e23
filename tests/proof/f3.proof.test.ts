import { expect, it } from 'vitest'
import { type CrashPoint, type CrashTime, countHits } from '../crash/crash-cycle.ts'
import { createSeededRandom } from '../storage-faults/seeded-random.ts'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { type Cycle, everyPoint, playCycles } from './play-cycles.ts'

const SEED = process.env['POLYLOGUE_PROOF_SEED'] ?? 'willow'
const CYCLES = 300
/** The failpoints of a recovery. */
const RECOVERING = [
  'claim.after-commit',
  'claim.after',
  'append.before',
  'append.before-commit',
  'append.after-commit',
  'append.after',
  'publish.after',
]
const REPAIRED_WITHIN_MS = 60

it('F3: a server is killed while it recovers, some twice', async () => {
  const seconds = startStopwatch()
  const random = createSeededRandom(SEED)
  const points = everyPoint(await countHits()).filter(({ name }) => !/^(migrate|create|delete)/.test(name))
  const duringRecovery = (): CrashPoint | CrashTime =>
    random.int(3) === 0
      ? { afterMs: random.int(REPAIRED_WITHIN_MS) }
      : { name: random.pick(RECOVERING), hit: 1 + random.int(3) }
  const cycles = Array.from({ length: CYCLES }, (_, index): Cycle => {
    const again = index % 3 === 0 ? [duringRecovery()] : []
    return [random.pick(points), duringRecovery(), ...again]
  })
  const { complaints } = await playCycles(cycles)
  tellProof({
    id: 'F3',
    what: 'kill -9 in the middle of a turn, and again while the next server recovers, every third time twice: I1–I9 hold',
    count: cycles.length,
    failures: complaints.length,
    complaints,
    seed: SEED,
    seconds: seconds(),
  })
  expect(complaints).toEqual([])
})
