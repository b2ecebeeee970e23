import { parseShape } from '@polylogue/kit'
import { expect, it } from 'vitest'
import { z } from 'zod'

const wrong = Array.from({ length: 1000 }, () => ({ text: 1, mark: 1 }))

it.each([
  ['a list', z.array(z.object({ text: z.string() })), wrong],
  ['a list in an object', z.object({ items: z.array(z.string()) }), { items: wrong }],
  ['lists in a list', z.array(z.array(z.string())), [wrong, wrong]],
  ['the rest of a tuple', z.tuple([z.object({})], z.string()), wrong],
  ['a branch', z.union([z.string(), z.array(z.object({ text: z.string() }))]), wrong],
])('%s of wrong elements becomes one issue', (_, schema: z.ZodType, value) => {
  const { error } = parseShape(schema, value)
  const [issue] = error?.issues ?? []
  expect(error?.issues).toHaveLength(1)
  const branches = issue?.code === 'invalid_union' ? issue.errors : []
  expect(branches.filter(({ length }) => length > 1)).toEqual([])
})

it('what fits comes through whole', () => {
  expect(parseShape(z.object({ a: z.array(z.string()) }), { a: ['b', 'c'] }).data).toEqual({ a: ['b', 'c'] })
})
