import { expect, it } from 'vitest'
import { toArguments } from './mcp-prompt.ts'

it.each([
  ['', ['a', 'b'], {}],
  ['one', ['a', 'b'], { a: 'one' }],
  ['one two three', ['a', 'b'], { a: 'one', b: 'two three' }],
  ['"one two" three', ['a', 'b'], { a: 'one two', b: 'three' }],
  ['all of it', ['a'], { a: 'all of it' }],
  ['"all of it"', ['a'], { a: 'all of it' }],
  ['"two" words', ['a'], { a: '"two" words' }],
  ['ignored', [], {}],
  ['x', ['__proto__'], JSON.parse('{"__proto__":"x"}')],
])('the text %s becomes the arguments of a prompt that has %j', (rest, names, given) => {
  expect(toArguments(rest, names)).toEqual(given)
})
