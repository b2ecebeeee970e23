import { expect, it } from 'vitest'
import { raceAgainstSwaps } from './swap-race.ts'

it('C11: a thousand writes while a directory and a link that leads outside are exchanged, none of them outside', async () => {
  const result = await raceAgainstSwaps(1000)
  expect(result.escapes).toEqual([])
  expect(result.writes + result.edits).toBeGreaterThanOrEqual(1000)
  expect(result.reads).toBeGreaterThan(100)
  expect(result.refused).toBeGreaterThan(0)
  // The attacker is real: whoever looks first and opens then is led outside by it.
  expect(result.naiveEscapes).toBeGreaterThan(0)
}, 120_000)
