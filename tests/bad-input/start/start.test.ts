import { expect, it } from 'vitest'
import { createRandom } from '../random.ts'
import { VALID_CONFIG, listConfigCases, type StartCase } from './config-cases.ts'
import { OTHER_CASES } from './other-cases.ts'
import { runStarts } from './run-starts.ts'

const SEED = process.env['POLYLOGUE_PROOF_SEED'] ?? 'polylogue'

/** This many cases, without repeats. The proof tries all. */
function sample(cases: readonly StartCase[], count: number): readonly StartCase[] {
  const left = [...cases]
  const random = createRandom(SEED, count)
  return Array.from({ length: count }, () => left.splice(random.int(left.length), 1)).flat()
}

it(
  `starts with what is in order and with nothing else, saying why in one line (a sample, seed ${SEED})`,
  { timeout: 120_000 },
  async () => {
    const cases = [VALID_CONFIG, ...sample(listConfigCases(), 12), ...sample(OTHER_CASES, 10)]
    expect(await runStarts(cases)).toEqual([])
  },
)
