import { describe, expect, it } from 'vitest'
import { JsonRefused, parseJson, type JsonLimits } from './parse-json.ts'

const LIMITS = { depth: 64, keys: 100, stringLength: 1000 }
const parse = (text: string): unknown => parseJson(Buffer.from(text), LIMITS)
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

describe('JSON from a client', () => {
  it('may be nested as deep as the limit, and not deeper', () => {
    expect(() => parse(nested(64))).not.toThrow()
    expect(() => parse(nested(65))).toThrow('nested deeper than 64 levels')
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

  it('may have as many keys as the limit, wherever they are, and not more', () => {
    const object = (keys: number): string => `{${Array.from({ length: keys }, (_, key) => `"${key}":1`).join()}}`
    expect(() => parse(`[${object(60)},${object(40)},"a:b:c"]`)).not.toThrow()
    expect(() => parse(`[${object(60)},${object(41)}]`)).toThrow('more than 100 keys')
  })

  it('may have strings up to the limit, in any escaping', () => {
    for (const character of ['x', '\\n', '\\u0041', '\\\\', 'é']) {
      expect(parse(`"${character.repeat(1000)}"`)).toHaveLength(1000)
      expect(() => parse(`"${character.repeat(1001)}"`)).toThrow('a string longer than 1000 characters')
    }
    expect(parse(`"${'\u{1F600}'.repeat(500)}"`)).toHaveLength(1000)
    expect(() => parse(`"${'\u{1F600}'.repeat(501)}"`)).toThrow('longer than 1000')
    expect(() => parse(`{"${'x'.repeat(1001)}":1}`)).toThrow('longer than 1000')
    expect(() => parse(`"${'x'.repeat(1001)}`)).toThrow('longer than 1000')
  })

  it('may have an image of any length', () => {
    expect(parse(`"data:image/png;base64,${'A'.repeat(2000)}"`)).toHaveLength(2022)
    expect(parse(`"data:image\\/png;base64,${'A'.repeat(2000)}"`)).toHaveLength(2022)
    expect(() => parse(`"data:image/png;base64,${'A'.repeat(2000)}\\""`)).toThrow('longer than 1000')
  })

  it.each(['1e999', '-1e999', '[1E+400]', '1'.repeat(400)])(
    'may not have the number %s, which would become null',
    (text) => {
      expect(() => parse(text)).toThrow(/^a number/)
    },
  )

  it('may not have numbers of more digits than anybody needs', () => {
    expect(parse(`0.${'1'.repeat(62)}`)).toBeCloseTo(0.111)
    expect(() => parse(`0.${'1'.repeat(63)}`)).toThrow('a number of more than 64 characters')
    expect(() => parse('1'.repeat(100_000))).toThrow('more than 64')
    expect(parse('[-0, 1.5e-7, 12345678901234567890, 5e-400]')).toEqual([-0, 1.5e-7, 12345678901234567000, 0])
  })

  it('costs about the same whatever its bytes are, so that no choice of them holds everybody else up', () => {
    const size = 16 * 1024 * 1024
    const limits = { depth: 64, keys: 10_000, stringLength: 1024 * 1024 }
    const pieces = [' ', '\n', ',', ']', '0 ', '1e308 ', '"', '"\\', '"data:image\\"', 'null', '""', '\u{1F600}']
    const image = `["data:image/png;base64,${'\\"'.repeat(size / 2)}"]`
    const quotes = `[${`"${'\\"'.repeat(500_000)}",`.repeat(16)}0]`
    for (const text of [...pieces.map((piece) => piece.repeat(size / piece.length)), image, quotes]) {
      const spent = cpuMsOf(Buffer.from(text), limits)
      expect([text.slice(0, 20), spent]).toSatisfy(([, ms]: [string, number]) => ms < 1500)
    }
  })

  it('takes the last of two keys with one name', () => {
    expect(parse('{"a":1,"a":2}')).toEqual({ a: 2 })
  })

  it.each([
    ['', 'received nothing'],
    ['{', 'not valid JSON'],
    ['{"a":1}}', 'not valid JSON'],
    ['1 2', 'not valid JSON'],
    [']', 'not valid JSON'],
    ['"', 'not valid JSON'],
    ['"\\"', 'not valid JSON'],
    ['undefined', 'not valid JSON'],
  ])('%j is refused with a reason', (text, reason) => {
    expect(() => parse(text)).toThrow(reason)
  })

  it('must be UTF-8; a byte order mark is harmless', () => {
    expect(() => parseJson(Buffer.from([0x22, 0xff, 0x22]), LIMITS)).toThrow('not valid UTF-8')
    expect(parse('\ufeff{"a":1}')).toEqual({ a: 1 })
  })

  it('cannot change the prototype of anything', () => {
    parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}')
    expect(Reflect.get({}, 'polluted')).toBe(undefined)
  })
})

/** What it took this process to take a body or to refuse it. */
function cpuMsOf(bytes: Buffer, limits: JsonLimits): number {
  const before = process.threadCpuUsage()
  try {
    parseJson(bytes, limits)
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error
  }
  return Math.round(process.threadCpuUsage(before).user / 1000)
}
