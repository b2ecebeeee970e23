import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type MatchBudget, type Pattern, compilePattern, problemOfPattern } from './pattern.ts'

const plenty = (): MatchBudget => ({ steps: 10_000_000, effort: 10_000 })

function compile(source: string): Pattern | undefined {
  const pattern = compilePattern(source, plenty())
  if (pattern === 'unknown') throw new Error('the budget was too small')
  return pattern
}

const search = (source: string, text: string) => compile(source)?.search(text, plenty())
const whole = (source: string, text: string) => compile(source)?.matchWhole(text, plenty())

describe('a pattern', () => {
  it.each([
    ['^git (status|log)$', 'git log', 'yes'],
    ['^git (status|log)$', 'git push', 'no'],
    ['rm +-r', 'sudo rm   -rf x', 'yes'],
    ['\\bcurl\\b', 'xcurl', 'no'],
    ['\\Bcurl', 'xcurl', 'yes'],
    ['[^a-z]', 'abc', 'no'],
    ['[\\d.-]{3,}', 'v1.2', 'yes'],
    ['a{2}b', 'aab', 'yes'],
    ['^a{2,3}$', 'aaaa', 'no'],
    ['(?i)^DROP', 'drop table', 'yes'],
    ['(?i)[^k]', 'K', 'no'],
    ['(?<word>\\w+)@', 'me@x', 'yes'],
    ['(?P<word>\\w+)@', 'me@x', 'yes'],
    ['^.$', '😀', 'yes'],
    ['\\u{1F600}', 'a😀', 'yes'],
    ['^$', '', 'yes'],
    ['', 'anything', 'yes'],
    ['a.b', 'a\nb', 'no'],
    ['{', '{', 'yes'],
    ['\\.', 'a', 'no'],
    ['x*?y', 'xxy', 'yes'],
    ['(a*)*b', 'aaab', 'yes'],
    ['^\\p{L}+$', 'Grüße', 'yes'],
  ])('%s in %j: %s', (source, text, answer) => {
    expect(search(source, text)).toBe(answer)
  })

  it('is compared with the whole text where the whole is asked for', () => {
    expect(whole('B|Bash', 'Bash')).toBe('yes')
    expect(whole('B|ash', 'Bash')).toBe('no')
    expect(whole('mcp_.*', 'mcp_files_read')).toBe('yes')
  })

  it.each([
    ['(a', 'missing closing )'],
    ['a)', 'unexpected )'],
    ['*a', 'missing argument to repetition operator'],
    ['a**', 'invalid nested repetition operator'],
    ['a++', 'invalid nested repetition operator'],
    ['[a', 'missing closing ]'],
    ['[z-a]', 'invalid character class range'],
    ['a{3,2}', 'invalid repeat count'],
    ['(?=a)', 'invalid or unsupported Perl syntax'],
    ['(?<!a)b', 'invalid named capture'],
    ['(a)\\1', 'invalid escape sequence'],
    ['a\\', 'trailing backslash'],
    ['((a{1000}){1000}){1000}', 'too large when its repeats are written out'],
    ['(((){1000}){1000}){1000}', 'too large when its repeats are written out'],
    ['a{1001}', 'invalid repeat count'],
    [`(${'[a-z]{9}'.repeat(99)}){9}`, 'too large when its repeats are written out'],
    ['a'.repeat(1001), 'longer than 1000 characters'],
  ])('%s is invalid: %s', (source, problem) => {
    expect(problemOfPattern(source, plenty())).toContain(problem)
    expect(compile(source)).toBeUndefined()
  })

  it('C16: takes a bounded number of steps whatever the pattern and the text', () => {
    const hostile = ['(a+)+$', '^(a|a)*$', '^(a*)*$', '(.*)(.*)(.*)(.*)x', '(a|b|ab)*c', `^(${'a?'.repeat(100)}){9}$`]
    for (const source of hostile) {
      const budget = { ...plenty(), steps: 5_000_000 }
      const answer = compile(source)?.search(`${'a'.repeat(5_000)}!`, budget)
      expect(answer).toMatch(/^(no|unknown)$/)
    }
    const budget = { ...plenty(), steps: 1_000 }
    expect(compile('a+$')?.search(`${'a'.repeat(100_000)}!`, budget)).toBe('unknown')
    expect(budget.steps).toBeGreaterThan(-100)
  })

  it('C16: is made once, and only while the budget of the call suffices', () => {
    const large = Array.from({ length: 20 }, (_, number) => `x${number}[a-z]{500}`)
    const budget = { effort: 2_000 }
    const first = large.map((source) => compilePattern(source, budget))
    expect(first.filter((pattern) => pattern === 'unknown')).toHaveLength(17)
    expect(budget.effort).toBeGreaterThanOrEqual(0)
    expect(problemOfPattern(large[0] ?? '', { effort: 0 })).toBeUndefined()
    expect(problemOfPattern(large[9] ?? '', { effort: 0 })).toBe('unknown')
    expect(compilePattern(large[9] ?? '', { effort: 600 })).not.toBe('unknown')
  })

  it('C16: is forgotten when many others were made since', () => {
    const few = Array.from({ length: 100 }, (_, number) => `y${number}[a-z]{900}`)
    for (const source of few) compile(source)
    for (let number = 0; number < 100; number += 1) compile(`z${number}[a-z]{990}|(a{100}){25}`)
    expect(compilePattern(few[0] ?? '', { effort: 0 })).toBe('unknown')
  })

  it('agrees with the regular expressions of the language', () => {
    const atom = fc.constantFrom('a', 'b', '.', '\\w', '\\W', '[ab]', '[^a]', '\\d', '[a-c1]', '\\b', '^', '$', ' ', '')
    const quantifier = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,2}', '{1,}', '*?')
    const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
      pattern: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.tuple(atom, quantifier).map(([text, times]) => (/^(\\b|\^|\$|)$/.test(text) ? text : text + times)),
        fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => left + right),
        fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `${left}|${right}`),
        fc.tuple(tie('pattern'), quantifier).map(([inner, times]) => `(${inner})${times}`),
      ),
    }))
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', ' ', '!', '\n'), maxLength: 12 })
    fc.assert(
      fc.property(pattern, text, (source, subject) => {
        expect(search(source, subject)).toBe(new RegExp(source).test(subject) ? 'yes' : 'no')
        expect(whole(source, subject)).toBe(new RegExp(`^(?:${source})$`).test(subject) ? 'yes' : 'no')
      }),
      { numRuns: 3_000 },
    )
  })
})
