import { expect, it } from 'vitest'
import { readPartialObject } from './partial-json.ts'

it.each([
  ['', undefined],
  ['[1', undefined],
  ['nonsense', undefined],
  ['{', {}],
  ['{"pa', {}],
  ['{"path"', {}],
  ['{"path":', {}],
  ['{"path": "src/a', { path: 'src/a' }],
  ['{"path": "src/a.ts", "con', { path: 'src/a.ts' }],
  ['{"a": 12', {}],
  ['{"a": 12,', { a: 12 }],
  ['{"a": tru', {}],
  ['{"a": true', { a: true }],
  ['{"a": null, "b": [1, "x', { a: null, b: [1, 'x'] }],
  ['{"a": {"b": {"c": "d', { a: { b: { c: 'd' } } }],
  ['{"a": "line\\', { a: 'line' }],
  ['{"a": "x\\\\', { a: 'x\\' }],
  ['{"a": "x\\u00', { a: 'x' }],
  ['{"a": "x\\ud83d', { a: 'x' }],
  ['{"a": "x\\"y', { a: 'x"y' }],
  ['{"__proto__": "x", "a": 1}', { ['__proto__']: 'x', a: 1 }],
])('parses %j as %j', (text, shown) => {
  expect(readPartialObject(text)).toEqual(shown)
})

it('every prefix of an object gives a prefix of its content', () => {
  const whole = {
    path: 'a/b.ts',
    edits: [{ old: 'x "quoted" \\ \n', new: '\u{1f600}' }],
    n: -1.5e3,
    ok: false,
    none: null,
  }
  const text = JSON.stringify(whole)
  for (let length = 1; length < text.length; length++) expect(readPartialObject(text.slice(0, length))).toBeDefined()
  expect(readPartialObject(text)).toEqual(whole)
})

it('deep input does not fail and is shown only in part', () => {
  expect(readPartialObject('{"a":'.repeat(100_000))).toBeDefined()
})
