import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffLines } from './assets/line-diff.js'

const shown = (before: string, after: string): string[] =>
  diffLines(before, after).map(({ sign, text }) => `${sign}${text}`)

describe('diffLines', () => {
  it('keeps what both have, and shows what was taken away and added', () => {
    expect(shown('a\nb\nc\nd\n', 'a\nx\nc\ne\nd\n')).toEqual([' a', '-b', '+x', ' c', '+e', ' d'])
  })

  it('shows a new file as added', () => {
    expect(shown('', 'a\n\nb\n')).toEqual(['+a', '+', '+b'])
  })

  it('has all lines of both texts, in order, whatever they are', () => {
    const texts = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 })
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const lines = diffLines(before.map((line) => `${line}\n`).join(''), after.map((line) => `${line}\n`).join(''))
        const without = (sign: string) => lines.filter((line) => line.sign !== sign).map(({ text }) => text)
        expect(without('+')).toEqual(before)
        expect(without('-')).toEqual(after)
      }),
    )
  })

  it('does not compare what is too long to be compared', () => {
    const many = (word: string) => Array.from({ length: 2000 }, (_, index) => `${word}${index}\n`).join('')
    const lines = diffLines(many('a'), many('b'))
    expect(lines).toHaveLength(4000)
    expect(lines[1999]?.sign).toBe('-')
    expect(lines[2000]?.sign).toBe('+')
  })
})
