import { expect, it } from 'vitest'
import { addKeys } from './watch-keys.ts'

it.each([
  ['', 'next', 'next'],
  ['nex', 't\r', 'next\r'],
  ['你好', '\u007f', '你'],
  ['a😀', '\b', 'a'],
  ['', '\u007f', ''],
  ['a', '\t\u0001b', 'ab'],
])('after %j the keys %j make %j', (line, keys, after) => {
  expect(addKeys(line, keys)).toBe(after)
})
