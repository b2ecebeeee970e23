// A sample. `npm run proof -- mixed` has more, drawn anew.
import { expect, it } from 'vitest'
import { mixFaults } from './mixed-faults.ts'

it('cluster 34, 35, 36, 37, 38, 39: three nodes outlast faults of nodes, network and database, one after the other', async () => {
  const { turns, complaints } = await mixFaults({ faults: 5, seed: 'c', wellWithinMs: 60_000 })
  expect(complaints).toEqual([])
  expect(turns).toBeGreaterThan(15)
}, 240_000)
