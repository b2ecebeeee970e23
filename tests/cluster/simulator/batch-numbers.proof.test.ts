import { expect, it } from 'vitest'
import { proofSize, startStopwatch, tellProof } from '../../storage-faults/proof-result.ts'
import { judgeBatchNumbers } from './batch-numbers.ts'

it('cluster 52: simulator: the numbers of Blade’s patches never repeat over a takeover', async () => {
  const seconds = startStopwatch()
  const count = proofSize(2_000)
  const complaints: string[] = []
  for (let seed = 0; seed < count; seed++) complaints.push(...(await judgeBatchNumbers(seed)))
  tellProof({
    id: 'simulator',
    what: 'answers whose node dies while it streams, in a cluster in memory: the numbers of Blade’s patches are the same on every node and never repeat',
    ...{ store: 'postgres', count, failures: complaints.length, complaints, seed: '0 and on', seconds: seconds() },
  })
  expect(complaints).toEqual([])
})
