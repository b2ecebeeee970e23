import { expect, it } from 'vitest'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { countLastingHits } from './lasting-cycle.ts'
import { playRestarts } from './play-restarts.ts'
import { spreadPoints } from './spread-points.ts'

const SEED = 20_260_302
const POINTS = 60
/** Where the successor dies in its turn. */
const AGAIN = ['claim.after', 'append.before-commit', 'append.after-commit', 'publish.after'] as const

it('L1: compaction, memory and budget across a kill at sampled failpoints', async () => {
  const seconds = startStopwatch()
  const points = spreadPoints(await countLastingHits(), POINTS, SEED)
  const twice = points
    .filter(({ name }) => /^(?:append|tool|publish|drafts)\./.test(name))
    .map((point, index) => [point, { name: AGAIN[index % AGAIN.length] ?? 'claim.after', hit: 1 }])
  const cycles = [...points.map((point) => [point]), ...twice]
  const { reached, complaints } = await playRestarts(cycles)
  tellProof({
    id: 'L1',
    what: `kill -9 in sessions that are compacted, remember and have a budget, once or twice in a row (${reached} died there): each memory is kept once and recalled, no request exceeds the window, no model call runs without consent, every call is counted once`,
    count: cycles.length,
    failures: complaints.length,
    complaints,
    seed: String(SEED),
    seconds: seconds(),
  })
  expect(complaints).toEqual([])
  expect(reached).toBeGreaterThan(cycles.length / 2)
})
