import { expect, it } from 'vitest'
import { raceAgainstSwaps } from './swap-race.ts'

/** The proof makes 10,000 writes. */
const WRITES = 400

it(`C11: ${WRITES} writes while a directory and a link that leads outside are exchanged, none of them outside`, async () => {
  const result = await raceAgainstSwaps(WRITES)
  expect(result.escapes).toEqual([])
  expect(result.writes + result.edits).toBeGreaterThanOrEqual(WRITES)
  expect(result.reads).toBeGreaterThan(WRITES / 10)
  expect(result.refused).toBeGreaterThan(0)
  // The attacker is real: whoever looks first and opens then is led outside by it.
  expect(result.naiveEscapes).toBeGreaterThan(0)
}, 120_000)
