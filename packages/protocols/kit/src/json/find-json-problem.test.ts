import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findJsonProblem } from './find-json-problem.ts'

const keysOf = (count: number): string => Array.from({ length: count }, (_, key) => `"${key}":0`).join()
const limitOf = (text: string, limits: Parameters<typeof findJsonProblem>[1]) => findJsonProblem(text, limits)?.limit

describe('the limits of a JSON text', () => {
  it.each([
    ['depth', '[[[0]]]', { depth: 2 }],
    ['keys', '[{"a":0},{"b":0},{"c":0}]', { keys: 2 }],
    ['objectKeys', `{${keysOf(10_001)}}`, {}],
    ['objectKeys', `[{"a":{${keysOf(10_000)}},"b":{"c":{${keysOf(10_001)}`, {}],
    ['keyLength', '{"abc":0}', { keyLength: 2 }],
    ['stringLength', '["abc"]', { stringLength: 2 }],
    ['values', `[${'0,'.repeat(500_000)}0]`, {}],
    ['number', `[${'1'.repeat(65)}]`, {}],
    ['number', '[1e999]', {}],
  ] as const)('include %s', (limit, text, limits) => {
    expect(limitOf(text, limits)).toBe(limit)
  })

  it('leave many objects with few keys alone', () => {
    expect(limitOf(`[${`{${keysOf(9_000)}},`.repeat(20)}{"a":{${keysOf(10_000)}}}]`, {})).toBe(undefined)
  })

  it('do not apply where they are left out', () => {
    expect(limitOf(`${'['.repeat(10_000)}"${'x'.repeat(100_000)}"${']'.repeat(10_000)}`, {})).toBe(undefined)
  })

  it('leave long strings of an allowed kind alone, unless they hold a quote', () => {
    const limits = { stringLength: 10, bulk: /data:|[A-Za-z0-9+/]{8}/y }
    expect(limitOf(`"data:${'x'.repeat(100)}"`, limits)).toBe(undefined)
    expect(limitOf(`"${'QUJD'.repeat(100)}"`, limits)).toBe(undefined)
    expect(limitOf(`"${'a b'.repeat(100)}"`, limits)).toBe('stringLength')
    expect(limitOf(`"data:${'\\"'.repeat(100)}"`, limits)).toBe('stringLength')
  })

  it('agree with what a walk over the parsed value finds', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.nat(6), fc.nat(12), fc.nat(12), (text, depth, keys, stringLength) => {
        const found = measure(JSON.parse(text))
        expect(limitOf(text, { depth }) === 'depth').toBe(found.depth > depth)
        expect(limitOf(text, { stringLength }) === 'stringLength').toBe(found.stringLength > stringLength)
        // The parser keeps the last of two equal keys, so a text may have more.
        expect(found.keys > keys && limitOf(text, { keys }) !== 'keys').toBe(false)
      }),
    )
  })

  it('say nothing about text that is not JSON: the parser does', () => {
    for (const text of ['', ']', '"', '1 2 3', '{"a" "b" "c"}', ']]]]', '""""""'])
      expect(limitOf(text, { depth: 1, keys: 1, stringLength: 1 })).toBe(undefined)
  })
})

function measure(value: unknown): { depth: number; keys: number; stringLength: number } {
  if (typeof value === 'string') return { depth: 0, keys: 0, stringLength: value.length }
  if (typeof value !== 'object' || value === null) return { depth: 0, keys: 0, stringLength: 0 }
  const inner = (Array.isArray(value) ? value : Object.entries(value).flat()).map(measure)
  const largest = (name: 'depth' | 'stringLength') => Math.max(0, ...inner.map((found) => found[name]))
  return {
    depth: 1 + largest('depth'),
    keys: inner.reduce((sum, found) => sum + found.keys, Array.isArray(value) ? 0 : Object.keys(value).length),
    stringLength: largest('stringLength'),
  }
}
