import { expect } from 'vitest'
import { proofSize, startStopwatch, tellProof } from '../../storage-faults/proof-result.ts'
import { killRunners } from './kill-runners.ts'

const SEED = process.env['POLYLOGUE_PROOF_SEED'] ?? 'willow'
const TIMES = { kill: 300, 'kill-web': 200, freeze: 300 } as const
const FAULTS = {
  kill: 'kill -9 of the node that runs',
  'kill-web': 'kill -9 of the node that serves, but does not run,',
  freeze: 'SIGSTOP for longer than its lease, with a clock that is wrong, of the node that runs',
} as const
/** At the same time, each with nodes and a database of its own. They mostly wait for leases to end. */
const LANES = 4
const WITHIN_MS = 10_000

export async function proveRunners(id: string, how: keyof typeof TIMES): Promise<void> {
  const seconds = startStopwatch()
  const perLane = Math.ceil(proofSize(TIMES[how]) / LANES)
  const lanes = await Promise.all(
    Array.from({ length: LANES }, (_, lane) =>
      killRunners({ kills: perLane, how, seed: `${SEED} ${lane}`, withinMs: WITHIN_MS }),
    ),
  )
  const complaints = lanes.flatMap((lane) => lane.complaints)
  const turns = lanes.reduce((sum, lane) => sum + lane.turns, 0)
  const slowest = (Math.max(...lanes.map((lane) => lane.slowestMs)) / 1000).toFixed(1)
  const went = how === 'kill-web' ? 'their turns went on' : `another node continued after ${slowest} s at most`
  tellProof({
    id,
    what: `${FAULTS[how]} turns of AAP, Blade, ACP and the console (${turns} turns ran then): ${went}, clients resumed there without a gap, I1–I10 hold`,
    store: 'postgres',
    count: perLane * LANES,
    failures: complaints.length,
    complaints,
    seed: SEED,
    seconds: seconds(),
  })
  expect(complaints).toEqual([])
  // A turn of some of the four doors was running.
  expect(turns).toBeGreaterThan(perLane * LANES)
}
