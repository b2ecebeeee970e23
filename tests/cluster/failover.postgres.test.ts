import { expect, it } from 'vitest'
import { failOver } from './faults/fail-over.ts'

it(
  'cluster 41: after a failover that lost the newest commits, nodes read their sessions again',
  { timeout: 180_000 },
  async () => {
    expect(await failOver({ rounds: 3 })).toEqual([])
  },
)
