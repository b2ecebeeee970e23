import { expect, it } from 'vitest'
import { READS, tryReads } from './secret-reads.ts'

/** Every fourth, and all that walk. */
const SAMPLE = READS.filter((read, index) => index % 4 === 0 || /^(?:grep|diff|find|git) -/.test(read))

it('no spelling of a read outside the workspace, or of a protected file, runs unasked', async () => {
  expect(READS.length).toBeGreaterThanOrEqual(400)
  const { counted, leaks, unasked } = await tryReads(SAMPLE)
  expect(leaks).toEqual([])
  expect(unasked).toEqual([])
  expect(counted).toBeGreaterThan(SAMPLE.length * 0.8)
}, 120_000)
