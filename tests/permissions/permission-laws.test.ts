import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { judgedCase } from './judged-case.ts'
import { LAWS } from './permission-laws.ts'

const CASES = 5_000

describe('M3: permission algebra', () => {
  it.each(Object.entries(LAWS))('%s', (_, law) => {
    // To shrink a case would take minutes, and the cases are small.
    fc.assert(fc.property(judgedCase, law), { numRuns: CASES, endOnFailure: true })
  })

  it('tries calls of every decision and every mode', () => {
    const seen = new Set<string>()
    for (const given of fc.sample(judgedCase, 1_000)) seen.add(`${given.policy.preset} ${given.facts.type}`)
    expect(seen.size).toBe(4 * 9)
  })
})
