// `npm run proof -- faults` repeats them more often.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fillDisk, lockJobs, writeWithWrongClocks } from './faults/database-faults.ts'
import { startSkewedNodes, type SkewedNodes } from './faults/skewed-nodes.ts'

let stage: SkewedNodes
beforeAll(async () => {
  stage = await startSkewedNodes()
}, 60_000)
afterAll(() => stage.remove())

describe('two nodes on one database', { timeout: 120_000 }, () => {
  it('cluster 42: write the time of the database, however wrong their clocks are', async () => {
    expect(await writeWithWrongClocks(stage, { rounds: 5 })).toEqual([])
  })

  it('cluster 44: start turns also while the tables of the jobs are locked', async () => {
    expect(await lockJobs(stage, { rounds: 3, withinMs: 20_000 })).toEqual([])
  })

  it('cluster 45: on a full disk they refuse with 507, read and cancel, and continue when there is room', async () => {
    expect(await fillDisk(stage, { rounds: 3 })).toEqual([])
  })
})
