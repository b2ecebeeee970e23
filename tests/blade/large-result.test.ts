import { expect, it } from 'vitest'
import { playLargeResult } from './large-result.ts'

const MEBIBYTE = 1024 * 1024

it('blade 156: a large result reaches more watchers than are served at once, and memory does not grow with their number', async () => {
  const { whole, grown, worstProbe } = await playLargeResult(150, MEBIBYTE)
  expect(whole).toBe(150)
  expect(worstProbe).toBeLessThan(250)
  // Encoded for each of them it would be 750 MiB.
  expect(grown).toBeLessThan(250 * MEBIBYTE)
})
