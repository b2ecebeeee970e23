import { expect, it } from 'vitest'
import { SWAP_CASES, playMounts, playSwaps } from './root-swaps.ts'

/** The proof plays all. */
const SAMPLE = SWAP_CASES.filter((_, index) => index % 9 === 0)

it('no tool follows the root of its session to where another process moves the name', async () => {
  expect(SWAP_CASES.length).toBeGreaterThanOrEqual(100)
  const { counted, calls, refused, escapes } = await playSwaps(SAMPLE, 4)
  expect(escapes).toEqual([])
  expect(counted).toBe(SAMPLE.length)
  expect(calls).toBe(SAMPLE.length * 4)
  expect(refused).toBeGreaterThan(0)
  expect(refused).toBeLessThan(calls)
}, 120_000)

it('no tool works in a mount over the root of its session', async () => {
  const { counted, calls, refused, escapes } = await playMounts(2)
  expect(escapes).toEqual([])
  expect(refused).toBe(calls)
  // Only root may mount. Without that right the attack does not exist.
  expect(counted).toBe(calls / 4)
}, 60_000)
