import { expect } from 'vitest'
import { type CrashPoint, type CrashTime, countHits } from '../crash/crash-cycle.ts'
import { proofSize, startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { createSeededRandom } from '../storage-faults/seeded-random.ts'
import { type Cycle, everyPoint, playCycles } from './play-cycles.ts'

export interface KillPlan {
  readonly store: 'sqlite' | 'postgres'
  /** Slightly longer than the script runs. */
  readonly scriptMs: number
  /** Cycles at the same time. A cycle mostly waits: for processes to start and, in a cluster, for a lease to end. */
  readonly lanes: number
}

const SEED = process.env['POLYLOGUE_PROOF_SEED'] ?? 'willow'
const RANDOM_KILLS = 1000
const RECOVERIES = 300
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

/** F1: a server is killed at every hit of every failpoint. */
export async function proveEveryPoint({ store, lanes }: KillPlan): Promise<void> {
  const seconds = startStopwatch()
  const all = everyPoint(await countHits())
  const points = all.filter((_, index) => index % Math.ceil(all.length / proofSize(all.length)) === 0)
  const { reached, complaints } = await playCycles(
    points.map((point) => [point]),
    lanes,
  )
  tellProof({
    id: 'F1',
    what: `kill -9 at every hit of every failpoint (${reached} died there, the others just after), then the next server finishes the script: I1–I9 hold`,
    store,
    count: points.length,
    failures: complaints.length,
    complaints,
    seed: '–',
    seconds: seconds(),
  })
  expect(complaints).toEqual([])
  expect(reached).toBeGreaterThan(points.length * 0.7)
}

/** F1: a server is killed at random moments. */
export async function proveRandomMoments({ store, scriptMs, lanes }: KillPlan): Promise<void> {
  const seconds = startStopwatch()
  const random = createSeededRandom(SEED)
  const kills = proofSize(RANDOM_KILLS)
  const cycles = Array.from({ length: kills }, () => [{ afterMs: random.int(scriptMs * 10) / 10 }])
  const { reached, complaints } = await playCycles(cycles, lanes)
  tellProof({
    id: 'F1',
    what: `kill -9 at random moments (${reached} before the script was over), then the next server finishes it: I1–I9 hold`,
    store,
    count: cycles.length,
    failures: complaints.length,
    complaints,
    seed: SEED,
    seconds: seconds(),
  })
  expect(complaints).toEqual([])
  expect(reached).toBeGreaterThan(kills / 2)
}

/** F3: a server is killed, and its successor is killed while it recovers, some twice. */
export async function proveRecoveries({ store, lanes }: KillPlan): Promise<void> {
  const seconds = startStopwatch()
  const random = createSeededRandom(SEED)
  const points = everyPoint(await countHits()).filter(({ name }) => !/^(migrate|create|delete)/.test(name))
  const duringRecovery = (): CrashPoint | CrashTime =>
    random.int(3) === 0
      ? { afterMs: random.int(REPAIRED_WITHIN_MS) }
      : { name: random.pick(RECOVERING), hit: 1 + random.int(3) }
  const cycles = Array.from({ length: proofSize(RECOVERIES) }, (_, index): Cycle => {
    const again = index % 3 === 0 ? [duringRecovery()] : []
    return [random.pick(points), duringRecovery(), ...again]
  })
  const { complaints } = await playCycles(cycles, lanes)
  tellProof({
    id: 'F3',
    what: 'kill -9 in the middle of a turn, and again while the next server recovers, every third time twice: I1–I9 hold',
    store,
    count: cycles.length,
    failures: complaints.length,
    complaints,
    seed: SEED,
    seconds: seconds(),
  })
  expect(complaints).toEqual([])
}
