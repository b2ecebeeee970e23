import { expect, it } from 'vitest'
import { killRunners } from './kill-runners.ts'

/** The promise is ten seconds, on a machine with nothing else to do. `npm run proof -- runner` has 300 kills. */
const WITHIN_MS = 30_000

it('cluster 34, 35, 52: turns of every door go on when their node is killed, and their clients read on at another node', async () => {
  const { turns, complaints } = await killRunners({ kills: 2, seed: 'willow', withinMs: WITHIN_MS })
  expect(complaints).toEqual([])
  // A turn may have ended before its node is killed.
  expect(turns).toBeGreaterThanOrEqual(4)
}, 120_000)

it('cluster 35: clients of every door read on elsewhere when the node that serves them is killed, five times', async () => {
  const { turns, complaints } = await killRunners({ kills: 5, how: 'kill-web', seed: 'willow', withinMs: WITHIN_MS })
  expect(complaints).toEqual([])
  expect(turns).toBeGreaterThanOrEqual(10)
}, 120_000)
