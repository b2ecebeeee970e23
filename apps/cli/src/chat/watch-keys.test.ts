import { expect, it } from 'vitest'
import { addKeys, readKeys } from './watch-keys.ts'

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

it.each([
  ['next', { text: 'next', isCancel: false, rest: '' }],
  ['next\r\u001b', { text: 'next\r', isCancel: false, rest: '\u001b' }],
  ['\u001b\u001b', { text: '', isCancel: true, rest: '\u001b' }],
  ['a\u001b[A\u001b[1;5Cb\u001bOPc', { text: 'abc', isCancel: false, rest: '' }],
  ['\u001b[200~two\rlines\u001b[201~', { text: 'two\rlines', isCancel: false, rest: '' }],
  ['a\u001b[1;', { text: 'a', isCancel: false, rest: '\u001b[1;' }],
  ['a\u001bbc', { text: 'ac', isCancel: false, rest: '' }],
])('keys that come together as %j are told apart', (piece, keys) => {
  expect(readKeys(piece)).toEqual(keys)
})
