import { expect, it } from 'vitest'
import { countLines } from '../model/call-facts.ts'
import { toHunks } from './diff.tsx'

const signs = { same: ' ', added: '+', removed: '-' }
const show = (oldText: string, newText: string): readonly string[] =>
  toHunks(oldText, newText).flatMap((lines) => lines.map(({ kind, text }) => `${signs[kind]}${text}`))

it('a line that stays is no change, although the part of the file ends with it', () => {
  expect(show('one\ntwo', '1\ntwo\nthree')).toEqual(['-one', '+1', ' two', '+three'])
})

it('a line break that a file loses at its end is a change', () => {
  expect(show('one\n', 'one')).toEqual(['-one', '+one'])
})

it('a new file has no removed line, and an emptied one no added line', () => {
  expect(show('', 'one\ntwo')).toEqual(['+one', '+two'])
  expect(show('one\ntwo', '')).toEqual(['-one', '-two'])
})

it('the count beside a call is that of its diff', () => {
  for (const [oldText, newText] of [
    ['one\ntwo', '1\ntwo\nthree'],
    ['a\nb\nc\nd', 'b\nx\nd\ne'],
    ['', 'one\ntwo'],
    ['same', 'same'],
    ['a\na\nb', 'b\na\na'],
  ] as const) {
    const lines = show(oldText, newText)
    const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length
    expect(countLines({ path: '', oldText, newText })).toEqual({ added: count('+'), removed: count('-') })
  }
})
