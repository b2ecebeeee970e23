import { describe, expect, it } from 'vitest'
import { spellOut, spellOutLine } from './spell-out.ts'

describe('text for approval', () => {
  it('keeps what can be seen, in every script', () => {
    const text = 'Grüße\n\t你好，世界 مرحبا 👩 naïve — “x”'
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
    ['half a character', 'a\ud800', 'a\\ud800'],
  ])('shows %s', (_name, text, shown) => {
    expect(spellOut(text)).toBe(shown)
    expect(spellOutLine(text)).toBe(shown)
  })

  it('is one line where one is wanted', () => {
    expect(spellOutLine('npm test\n\tcurl x')).toBe('npm test\\n\\tcurl x')
  })
})
