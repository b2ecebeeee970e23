import { describe, expect, it } from 'vitest'
import { coverVerdict } from './cover-verdict.ts'
import type { Verdict } from './policy.ts'
import { strictest } from './strictest.ts'

const verdict = (decision: Verdict['decision'], isCoverable = true): Verdict => ({
  decision,
  reason: decision,
  isCoverable,
})

describe('C17: the intersection of verdicts', () => {
  it('is the strictest of them, in any order', () => {
    const all = (['allow', 'ask', 'deny', 'disabled'] as const).map((decision) => verdict(decision))
    for (let end = 1; end <= all.length; end += 1) {
      const some = all.slice(0, end)
      expect(strictest(some).decision).toBe(some.at(-1)?.decision)
      expect(strictest(some.toReversed()).decision).toBe(some.at(-1)?.decision)
    }
  })

  it('is coverable only if every ask in it is', () => {
    expect(strictest([verdict('ask'), verdict('ask', false)]).isCoverable).toBe(false)
    expect(strictest([verdict('ask', false), verdict('ask')]).isCoverable).toBe(false)
    expect(strictest([verdict('ask'), verdict('allow', false)]).isCoverable).toBe(true)
  })

  it('of nothing is a denial', () => {
    expect(strictest([]).decision).toBe('deny')
  })
})

describe('acp 97, 98: a session override', () => {
  it('answers an ask that may be covered, and nothing else', () => {
    const over = (given: Verdict) => coverVerdict(given, 'allow').decision
    expect(over(verdict('ask'))).toBe('allow')
    expect(over(verdict('ask', false))).toBe('ask')
    expect([over(verdict('deny')), over(verdict('disabled'))]).toEqual(['deny', 'disabled'])
  })

  it('rejects whatever asks', () => {
    expect(coverVerdict(verdict('ask', false), 'reject').decision).toBe('deny')
    expect(coverVerdict(verdict('allow'), 'reject').decision).toBe('allow')
  })

  it('that was not given changes nothing', () => {
    expect(coverVerdict(verdict('ask'), undefined)).toEqual(verdict('ask'))
  })
})
