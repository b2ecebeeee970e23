import { expect, it } from 'vitest'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { type DrainPlan, drain } from './drain.ts'

const SEED = process.env['POLYLOGUE_PROOF_SEED'] ?? 'willow'
const ALL = { turns: 200, streams: 2000 }
const ROUNDS = 6
/** The grace, and what it takes to leave. */
const GRACE_MS = 30_000
const LEAVING_MS = 5_000

const PLANS: readonly (Omit<DrainPlan, 'seed' | 'turns' | 'streams'> & {
  readonly what: string
  readonly withinMs: number
})[] = [
  { what: 'one SIGTERM, turns end by themselves', restMs: [500, 8000], withinMs: 8000 + LEAVING_MS },
  { what: 'a second SIGTERM after a second', restMs: [500, 8000], secondAfterMs: 1000, withinMs: 1000 + LEAVING_MS },
  { what: 'one SIGTERM, turns outlast the grace', restMs: [28_000, 40_000], withinMs: GRACE_MS + LEAVING_MS },
]

it.each(PLANS)('200 turns and 2,000 streams: $what', async ({ what, withinMs, ...plan }) => {
  const seconds = startStopwatch()
  const rounds = what.includes('outlast') ? 1 : ROUNDS
  const complaints: string[] = []
  let longestMs = 0
  for (let round = 0; round < rounds; round++) {
    const result = await drain({ ...ALL, ...plan, seed: `${SEED} ${round}` })
    longestMs = Math.max(longestMs, result.exitMs)
    complaints.push(...result.complaints)
    if (result.exitCode !== 0) complaints.push(`the server exited with ${result.exitCode}`)
    if (result.exitMs > withinMs) complaints.push(`the server took ${Math.round(result.exitMs)} ms to exit`)
  }
  tellProof({
    id: 'F13',
    what: `running turns with 2,000 streams at shutdown (${what}): none lost, none run twice, exit 0 after ${(longestMs / 1000).toFixed(1)} s at most, and the next server goes on`,
    count: rounds * ALL.turns,
    failures: complaints.length,
    complaints,
    seed: SEED,
    seconds: seconds(),
  })
  expect(complaints).toEqual([])
})
