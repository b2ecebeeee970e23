// Samples. `npm run proof -- dispatch --store=postgres` has all of them, with the times that are promised.
import { expect, it } from 'vitest'
import { drainTo, fillCluster, measureStarts } from './dispatch.ts'

const timeout = 240_000

it(
  'cluster 24: turns that a web node admits begin on a worker, by a message and not by the next look',
  { timeout },
  async () => {
    const { complaints, p50Ms } = await measureStarts(20)
    expect(complaints).toEqual([])
    // 50 ms are promised at the 99th percentile, on a machine with nothing else to do. Workers look every second.
    expect(p50Ms).toBeLessThan(1_000)
  },
)

it(
  'cluster 29: a full cluster refuses turns with 503, and runs every turn that it has accepted',
  { timeout },
  async () => {
    const { complaints, accepted } = await fillCluster({ most: 5, isOld: true })
    expect(complaints).toEqual([])
    expect(accepted).toBeGreaterThanOrEqual(5)
  },
)

it('cluster 30: a node that stops hands its turns over to another one', { timeout }, async () => {
  const { complaints, tookMs } = await drainTo(10)
  expect(complaints).toEqual([])
  // Five seconds are promised.
  expect(tookMs).toBeLessThan(50_000)
})
