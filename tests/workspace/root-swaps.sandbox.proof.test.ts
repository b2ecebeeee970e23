import { expect, it } from 'vitest'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { SWAP_CASES, playMounts, playSwaps } from './root-swaps.ts'

it('S23: no tool follows the root of its session to where another process moves or mounts it', async () => {
  const seconds = startStopwatch()
  const swaps = await playSwaps(SWAP_CASES, 10)
  const mounts = await playMounts(10)
  const escapes = [...swaps.escapes, ...mounts.escapes]
  tellProof({
    id: 'S23',
    what:
      `swaps of a session's root, of links on the way and of mounts, in which a program that goes by name is led outside: ` +
      `of ${swaps.calls + mounts.calls} calls under load ${swaps.refused + mounts.refused} were refused and none was`,
    count: swaps.counted + mounts.counted,
    failures: escapes.length,
    seed: '–',
    seconds: seconds(),
  })
  expect(escapes).toEqual([])
  expect(swaps.counted).toBeGreaterThanOrEqual(100)
})
