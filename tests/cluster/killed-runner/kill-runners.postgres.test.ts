import { expect, it } from 'vitest'
import { killRunners } from './kill-runners.ts'

/** The promise is ten seconds, on a machine with nothing else to do. `npm run proof -- runner` has 300 kills. */
const WITHIN_MS = 30_000

it('cluster 34, 35, 52: twenty turns of all doors go on when their node is killed, and their clients read on at another node', async () => {
  const { turns, complaints } = await killRunners({ kills: 5, seed: 'willow', withinMs: WITHIN_MS })
  expect(complaints).toEqual([])
  // Some of the twenty may have ended before their node is killed.
  expect(turns).toBeGreaterThanOrEqual(10)
}, 240_000)

it('cluster 35: clients of every door read on elsewhere when the node that serves them is killed, five times', async () => {
  const { turns, complaints } = await killRunners({ kills: 5, how: 'kill-web', seed: 'willow', withinMs: WITHIN_MS })
  expect(complaints).toEqual([])
  expect(turns).toBeGreaterThanOrEqual(10)
}, 120_000)
