import { expect, it } from 'vitest'
import { proofSize, startStopwatch, tellProof } from '../../storage-faults/proof-result.ts'
import { simulateCluster } from './simulate-cluster.ts'

const SEEDS = proofSize(20_000)

it(
  `cluster 50: a cluster keeps everything it acknowledged, with ${SEEDS} seeds`,
  { timeout: 3 * 3_600_000 },
  async () => {
    const seconds = startStopwatch()
    const complaints: string[] = []
    for (let seed = 1; seed <= SEEDS; seed++) {
      const problems = await simulateCluster(seed)
      if (problems.length > 0) complaints.push(`seed ${seed}: ${problems.join('; ')}`)
    }
    tellProof({
      id: 'simulator',
      what: 'simulated histories of a cluster, with lost, duplicated and late messages and nodes that die and freeze: no client was told anything false',
      store: 'postgres',
      count: SEEDS,
      failures: complaints.length,
      complaints,
      seed: `1 to ${SEEDS}`,
      seconds: seconds(),
    })
    expect(complaints).toEqual([])
  },
)
