import fc from 'fast-check'
import { RE2JS, RE2JSException } from 're2js'
import { describe, expect, it } from 'vitest'
import { effortOf } from './pattern-effort.ts'

function instructionsOf(source: string): number | undefined {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source)).programSize()
  } catch (error) {
    if (error instanceof RE2JSException) return undefined
    throw error
  }
}

describe('the effort of a pattern', () => {
  it.each([
    ['', 10],
    ['abc', 13],
    ['a{100}', 110],
    ['(ab){10}', 40],
    ['(a{10}){10}', 120],
    ['\\{100}', 15],
    ['[{3}]', 11],
    ['[]{9}]', 11],
    ['a(?i){5}', 15],
    ['\\Qa{3}\\E{2}', 15],
    ['\\p{Greek}', 211],
    ['\\pL\\pN', 412],
    ['((((((((((x{9}){9}){9}){9}){9}){9}){9}){9}){9}){9}', 3_900_000_000],
  ])('%s is about %d', (source, about) => {
    expect(effortOf(source) / about).toBeGreaterThan(0.8)
    expect(effortOf(source) / about).toBeLessThan(1.25)
  })

  it('is never less than a quarter of the instructions that are made', () => {
    const part = fc.constantFrom(
      ...[
        'a',
        '.',
        'k',
        '\\w',
        '[^a-c]',
        '[]x]',
        '[[:alpha:]]',
        '\\pL',
        '\\p{Lu}',
        '(?i)',
        '(?s)',
        '\\{',
        '\\Qa{2}\\E',
      ],
      ...[
        '(',
        ')',
        '(?:',
        '(?P<n>',
        '|',
        '*',
        '+',
        '?',
        '??',
        '{0}',
        '{3}',
        '{2,}',
        '{0,5}',
        '{1,30}',
        '{40}',
        '{,9}',
        '^',
        '$',
      ],
    )
    let counted = 0
    fc.assert(
      fc.property(fc.array(part, { maxLength: 14 }), (parts) => {
        const source = parts.join('')
        if (effortOf(source) > 20_000) return
        const made = instructionsOf(source)
        if (made === undefined) return
        counted += 1
        expect(effortOf(source) * 4).toBeGreaterThanOrEqual(made)
      }),
      { numRuns: 20_000 },
    )
    expect(counted).toBeGreaterThan(1_000)
  })

  it('is told of any text without making anything of it', () => {
    const hostile = [
      '['.repeat(1000),
      '[:'.repeat(500),
      '\\p{'.repeat(333),
      '('.repeat(1000),
      '\\Q'.repeat(500),
      '{9}'.repeat(333),
    ]
    const start = performance.now()
    for (const text of hostile) expect(effortOf(text)).toBeGreaterThanOrEqual(10)
    expect(performance.now() - start).toBeLessThan(100)
  })
})
