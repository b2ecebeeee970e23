import { expect, it } from 'vitest'
import { judgeBatchNumbers } from './batch-numbers.ts'

it('cluster 52: the numbers of Blade’s patches are the same on every node and never repeat over a takeover, 50 times', async () => {
  const complaints: string[] = []
  for (let seed = 0; seed < 50; seed++) complaints.push(...(await judgeBatchNumbers(seed)))
  expect(complaints).toEqual([])
}, 120_000)
