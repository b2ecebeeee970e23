import { expect, it } from 'vitest'
import { COUNTS } from '../counts.ts'
import { startStopwatch, tellProof } from '../proof-result.ts'
import { holdAll } from './hold-all.ts'

it('a lock or a reader of another process costs time, never acknowledged data', async () => {
  const seconds = startStopwatch()
  const { count, failed } = await holdAll(COUNTS.lock.proof)
  tellProof({
    id: 'F20',
    what: 'the write lock held for 1, 6 or 30 s, by a stopped process too; a reader that stops checkpoints',
    count,
    failures: failed.length,
    complaints: failed.flat(),
    seed: '–',
    seconds: seconds(),
  })
  expect(failed).toEqual([])
}, 600_000)
