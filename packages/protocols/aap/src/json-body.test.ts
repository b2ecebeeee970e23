import { describe, expect, it } from 'vitest'
import { parseJsonBody } from './json-body.ts'

const parse = (text: string): unknown => parseJsonBody(Buffer.from(text), 64)
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

describe('a JSON body', () => {
  it('may be nested as deep as the limit, and not deeper', () => {
    expect(() => parse(nested(64))).not.toThrow()
    expect(() => parse(nested(65))).toThrow('body: nested deeper than 64 levels')
    expect(() => parse('{"a":'.repeat(65) + '1' + '}'.repeat(65))).toThrow('nested deeper')
  })

  it('is refused for its depth without a recursion that could overflow', () => {
    expect(() => parse('['.repeat(2_000_000))).toThrow('nested deeper')
  })

  it('may have any number of brackets inside strings', () => {
    const text = `${'[{'.repeat(100)}\\"${'['.repeat(100)}\\\\`
    expect(parse(`{"a":"${text}","b":[]}`)).toEqual({ a: JSON.parse(`"${text}"`), b: [] })
  })

  it('is refused when it holds more values than anybody needs', () => {
    expect(() => parse(`[${'{},'.repeat(400_000)}{}]`)).toThrow('more than 500000 values')
  })

  it.each([
    ['', 'received nothing'],
    ['{', 'not valid JSON'],
    ['{"a":1}}', 'not valid JSON'],
    ['"', 'not valid JSON'],
    ['"\\"', 'not valid JSON'],
    ['undefined', 'not valid JSON'],
  ])('%j is refused with a reason', (text, reason) => {
    expect(() => parse(text)).toThrow(reason)
  })

  it('must be UTF-8; a byte order mark is harmless', () => {
    expect(() => parseJsonBody(Buffer.from([0x22, 0xff, 0x22]), 64)).toThrow('body: not valid UTF-8')
    expect(parse('\ufeff{"a":1}')).toEqual({ a: 1 })
  })

  it('cannot change the prototype of anything', () => {
    parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}')
    expect(Reflect.get({}, 'polluted')).toBe(undefined)
  })
})
