import { describe, expect, it } from 'vitest'
import { PLANTED_BUGS } from './planted-bugs.ts'
import { simulateCluster } from './simulate-cluster.ts'

describe('a cluster with lost, doubled and late messages, and nodes that die and freeze', () => {
  it('cluster 50: keeps everything it acknowledged, with 200 seeds', { timeout: 300_000 }, async () => {
    for (let seed = 1; seed <= 200; seed++)
      expect({ seed, problems: await simulateCluster(seed) }).toEqual({ seed, problems: [] })
  })

  it.each(Object.entries(PLANTED_BUGS))(
    'is not believed to be right when %s',
    { timeout: 120_000 },
    async (_, plant) => {
      let seed = 1
      while (seed <= 100 && (await simulateCluster(seed, { plant }).catch(() => ['it threw'])).length === 0) seed++
      expect(seed).toBeLessThanOrEqual(100)
    },
  )
})
