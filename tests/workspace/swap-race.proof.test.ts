import { expect, it } from 'vitest'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { raceAgainstSwaps } from './swap-race.ts'

const WRITES = 10_000

it('C11: no write, edit or read leaves the workspace while a directory and a link are swapped', async () => {
  const seconds = startStopwatch()
  const { swaps, writes, edits, reads, refused, escapes, naiveEscapes } = await raceAgainstSwaps(WRITES)
  tellProof({
    id: 'C11',
    what:
      `writes and edits (and ${reads} reads, ${refused} refusals) while a directory and a link to the outside are ` +
      `exchanged ${swaps} times: none is led outside; of a naive tool ${naiveEscapes} calls were`,
    count: writes + edits,
    failures: escapes.length,
    seed: '–',
    seconds: seconds(),
  })
  expect(escapes).toEqual([])
  expect(naiveEscapes).toBeGreaterThan(0)
})
