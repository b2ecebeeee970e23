import { expect, it } from 'vitest'
import { countLastingHits } from './lasting-cycle.ts'
import { playRestarts } from './play-restarts.ts'
import { spreadPoints } from './spread-points.ts'

const SEED = 20_260_301
/** The proof plays 60. */
const POINTS = 5

it('memories, summaries and budgets survive a kill -9 at points of all kinds', async () => {
  const points = spreadPoints(await countLastingHits(), POINTS, SEED)
  const { reached, complaints } = await playRestarts(points.map((point) => [point]))
  expect(complaints).toEqual([])
  expect(reached).toBeGreaterThan(POINTS / 2)
}, 180_000)
