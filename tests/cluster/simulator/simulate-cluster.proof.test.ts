import { expect, it } from 'vitest'
import { simulateCluster } from './simulate-cluster.ts'

const SEEDS = 20_000

it(
  `cluster 50: a cluster keeps everything it acknowledged, with ${SEEDS} seeds`,
  { timeout: 3 * 3_600_000 },
  async () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      expect({ seed, problems: await simulateCluster(seed) }).toEqual({ seed, problems: [] })
    }
  },
)
