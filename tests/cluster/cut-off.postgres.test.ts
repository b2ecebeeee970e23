import { expect, it } from 'vitest'
import { cutNodesOff } from './faults/cut-nodes-off.ts'

it(
  'cluster 37: five nodes that are cut off from the database let their clients go, and another one continues their turns',
  { timeout: 180_000 },
  async () => {
    expect(await cutNodesOff({ rounds: 1, nodes: 5 })).toEqual([])
  },
)
