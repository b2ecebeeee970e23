import { expect, it } from 'vitest'
import { loseRedis } from './faults/lose-redis.ts'

it(
  'cluster 43, 55: nodes talk by Redis; without it they only take longer, and a revoked key still ends its streams',
  { timeout: 240_000 },
  async () => {
    // The proofs judge the promised seconds.
    expect(await loseRedis({ rounds: 5, withinMs: 15_000 })).toEqual([])
  },
)
