import { expect, it } from 'vitest'
import { dropCarriers, dropHidden } from './drop-hidden.ts'

const asTags = (text: string): string => String.fromCodePoint(...Array.from(text, (one) => 0xe0000 + one.charCodeAt(0)))
const asSelectors = (bytes: readonly number[]): string => String.fromCodePoint(...bytes.map((byte) => 0xe0100 + byte))

it('removes every way to hide a text for a model', () => {
  const page = `\ufff0\u{e0fff}\u3164\u2065a${asTags('obey')}b\u200bc\u202ed\u2066e\ufefff\u001b]0;x\u0007g\r\nh\u2028i${asSelectors([1, 2, 3])}`
  expect(dropHidden(page)).toBe('abcdef]0;xg\nh\ni\u{e0101}')
})

it('keeps what people read: emoji, joiners, accents, other scripts', () => {
  const text = '👩‍💻 ❤️ می‌خواهم क्‍ष é é 漢\u{e0100} עברית\n\tx'
  expect(dropHidden(text)).toBe(text)
})

it('leaves data alone that may be written back', () => {
  const data = 'a\r\n\u200bשלום\u200f\u001b[1m'
  expect(dropCarriers(`${data}${asTags('obey')}`)).toBe(data)
})

it('takes time in proportion to the text', () => {
  const start = performance.now()
  for (const one of ['\u{e0041}', '\ufe0f', '\u200d', '\u{e0101}', '\u001b']) dropHidden(one.repeat(500_000))
  expect(performance.now() - start).toBeLessThan(10_000)
})
