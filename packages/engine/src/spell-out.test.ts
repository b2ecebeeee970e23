import { describe, expect, it } from 'vitest'
import { spellOut, spellOutLine, toReadable, toReadableLine } from './spell-out.ts'

describe('text for approval', () => {
  it('keeps what can be seen, in every script', () => {
    const text = 'Grüße\n\t你好，世界 مرحبا 👩 naïve — “x” ❤️ 1️⃣ ©️'
    expect(spellOut(text)).toBe(text)
  })

  it.each([
    ['an escape sequence', '\u001b[2J', '\\u001b[2J'],
    ['a carriage return', 'rm -rf /\rls', 'rm -rf /\\u000dls'],
    ['a C1 control', '\u009b1m', '\\u009b1m'],
    ['text that runs backwards', 'a\u202eb\u2066c', 'a\\u202eb\\u2066c'],
    ['zero-width characters', 'a\u200bb\u200dc\u2060d\ufeff', 'a\\u200bb\\u200dc\\u2060d\\ufeff'],
    ['a soft hyphen', 'a\u00adb', 'a\\u00adb'],
    ['line separators', 'a\u2028b\u2029', 'a\\u2028b\\u2029'],
    ['tags', 'a\u{e0041}b', 'a\\u{e0041}b'],
    ['variation selectors of the supplement', 'a\u{e0100}', 'a\\u{e0100}'],
    ['letters without a shape', 'a\u3164\u115f', 'a\\u3164\\u115f'],
    ['spaces that are none', 'rm\u00a0-rf\u3000/', 'rm\\u00a0-rf\\u3000/'],
    ['unused code points that Unicode calls ignorable', '\ufff0\u{e0080}\u{e0fff}', '\\ufff0\\u{e0080}\\u{e0fff}'],
    ['no character', '\uffff', '\\uffff'],
    ['symbols without a shape', 'a\u2800\u{1d159}', 'a\\u2800\\u{1d159}'],
    ['a selector that shapes nothing', 'a\ufe0f漢\ufe00', 'a\\ufe0f漢\\ufe00'],
    ['half a character', 'a\ud800', 'a\\ud800'],
  ])('shows %s', (_name, text, shown) => {
    expect(spellOut(text)).toBe(shown)
    expect(spellOutLine(text)).toBe(shown)
  })

  it('is one line where one is wanted', () => {
    expect(spellOutLine('npm test\n\tcurl x')).toBe('npm test\\n\\tcurl x')
  })
})

describe('a name that a person reads', () => {
  it('keeps what ordinary text needs', () => {
    const text = '👩‍💻 ❤️ می‌خواهم क्‍ष é 漢\u{e0100} עברית\u00a01⁄2 ⠀'
    expect(toReadableLine(text)).toBe(text)
  })

  it.each([
    ['controls', '\u001b]52;c;x\u0007\u009b', '\\u001b]52;c;x\\u0007\\u009b'],
    ['text that runs backwards', 'a\u202eb\u2066c\u200f', 'a\\u202eb\\u2066c\\u200f'],
    ['zero-width characters', 'a\u200bb\u2060\ufeff', 'a\\u200bb\\u2060\\ufeff'],
    ['joiners in a row', 'a\u200d\u200db', 'a\u200d\\u200db'],
    ['tags and unused code points', '\u{e0041}\u{e0fff}\ufff0', '\\u{e0041}\\u{e0fff}\\ufff0'],
    ['selectors in a row', '漢\u{e0100}\u{e0101}', '漢\u{e0100}\\u{e0101}'],
    ['piles of marks', `e${'\u0301'.repeat(5)}`, `e${'\u0301'.repeat(4)}\\u0301`],
    ['half a character', '\ud800', '\\ud800'],
  ])('spells out %s', (_name, text, shown) => {
    expect(toReadable(text)).toBe(shown)
    expect(toReadableLine(text)).toBe(shown)
  })

  it('is one line where one is wanted', () => {
    expect(toReadable('a\n\tb')).toBe('a\n\tb')
    expect(toReadableLine('a\n\tb')).toBe('a\\n\\tb')
  })
})
