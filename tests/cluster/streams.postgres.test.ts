import { expect, it } from 'vitest'
import { watchElsewhere } from './support/watch-elsewhere.ts'

it(
  'cluster 48: readers at one node see a hundred turns of another one, every event and every word once',
  { timeout: 120_000 },
  async () => {
    expect(await watchElsewhere(100)).toEqual([])
  },
)
