import fc from 'fast-check'
import { expect, it } from 'vitest'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { judgedCase } from './judged-case.ts'
import { LAWS } from './permission-laws.ts'

const CASES = 50_000
const SEED = process.env['POLYLOGUE_PROOF_SEED'] ?? 'willow'

it('M3: permission algebra', () => {
  const seconds = startStopwatch()
  const failures: string[] = []
  for (const [sentence, law] of Object.entries(LAWS)) {
    const outcome = fc.check(fc.property(judgedCase, law), {
      numRuns: CASES,
      seed: toNumber(SEED),
      endOnFailure: true,
    })
    if (outcome.failed) failures.push(`${sentence}: ${fc.defaultReportMessage(outcome)}`)
  }
  tellProof({
    id: 'M3',
    what: `permission algebra: ${Object.keys(LAWS).length} laws, each for ${CASES.toLocaleString('en')} policies, calls and agent trees`,
    count: CASES * Object.keys(LAWS).length,
    failures: failures.length,
    seed: SEED,
    seconds: seconds(),
  })
  expect(failures).toEqual([])
})

const toNumber = (text: string): number => [...Buffer.from(text)].reduce((sum, byte) => (sum * 31 + byte) | 0, 7)
