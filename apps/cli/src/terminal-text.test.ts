import { describe, expect, it } from 'vitest'
import { toTerminalLine, toTerminalText } from './terminal-text.ts'

describe('text on a terminal', () => {
  it('keeps letters, line breaks and tabs as they are', () => {
    expect(toTerminalText('Grüße\n\t你好 \u{1F468}\u200D\u{1F469}')).toBe('Grüße\n\t你好 \u{1F468}\u200D\u{1F469}')
  })

  it('spells out escape sequences, other controls and text that would run backwards', () => {
    expect(toTerminalText('\u001b[2J\u0007\r\u009b1m\u202erm -rf')).toBe('\\u001b[2J\\u0007\\r\\u009b1m\\u202erm -rf')
  })

  it('spells out everything that Unicode calls ignorable, but for joiners and single selectors', () => {
    const codes = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code))
    const kept = codes.filter((one) => /\p{DI}/u.test(one) && toTerminalText(one) === one)
    const usual = /^(?:\p{M}|[\u200c\u200d])$/u
    expect(kept.filter((one) => !usual.test(one))).toEqual([])
  })

  it('is a single line where one is wanted', () => {
    expect(toTerminalLine('a\nb\tc\u2028d')).toBe('a\\nb\\tc\\u2028d')
  })
})
