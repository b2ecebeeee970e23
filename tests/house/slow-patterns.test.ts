import { expect, it } from 'vitest'
import { createHouse, readHouse } from './house.ts'
import { findSlowPatterns } from './slow-patterns.ts'

it('no regular expression of ours takes quadratic time', () => {
  expect(findSlowPatterns(readHouse('.'))).toEqual([])
}, 180_000)

it.each([
  ['a run before an end', String.raw`/ +$/`],
  ['two runs beside each other', String.raw`/^a\s*b?\s*$/`],
  ['a block that is not closed', String.raw`/<x>[^]*?<\/x>/g`],
  ['a run of words', String.raw`/\beyJ[\w-]{5,}\./`],
  ['a run that takes exponential time', String.raw`/^(a+)+$/`],
  ['a pattern from texts', String.raw`new RegExp('=' + '+$', 'u')`],
])('a slow one is found: %s', (_, code) => {
  const house = createHouse({}, { 'packages/a/src/a.ts': `export const pattern = ${code}` })
  expect(findSlowPatterns(house)).toEqual([expect.stringContaining('packages/a/src/a.ts:1')])
})
