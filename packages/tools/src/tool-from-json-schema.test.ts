import type { JsonObject } from '@polylogue/engine'
import { createInvocation } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { toolFromJsonSchema } from './tool-from-json-schema.ts'

const definition = { name: 'weather', description: 'Tells the weather.', effect: 'readonly', exposed: true } as const
const parameters: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'array', prefixItems: [{ type: 'integer' }] } },
  required: ['city'],
}

describe('a tool from a JSON Schema', () => {
  it('checks its input, naming the field, and runs with it', async () => {
    const tool = await toolFromJsonSchema({ ...definition, parameters, run: ({ input }) => ({ seen: input }) })
    expect(tool.parameters).not.toHaveProperty('$schema')
    expect(tool.check({ city: 'Oslo' })).toEqual({ ok: true, input: { city: 'Oslo' } })
    expect(tool.check({})).toEqual({ ok: false, problem: "must have required property 'city'" })
    expect(tool.check({ city: 'Oslo', days: ['one'] })).toEqual({ ok: false, problem: 'days.0: must be integer' })
    expect(await tool.run(createInvocation(tool, { city: 'Oslo' }))).toEqual({ content: '{"seen":{"city":"Oslo"}}' })
  })

  it('takes keywords, formats and ids it does not know, also when two schemas share an id', async () => {
    const mine = { type: 'object', $id: 'https://example.org/s', 'x-order': 1, properties: { at: { format: 'moon' } } }
    const theirs = { type: 'object', $id: 'https://example.org/s', required: ['other'] }
    const first = await toolFromJsonSchema({ ...definition, parameters: mine, run: () => '' })
    const second = await toolFromJsonSchema({ ...definition, parameters: theirs, run: () => '' })
    expect(first.check({ at: 'noon' }).ok).toBe(true)
    expect(second.check({ at: 'noon' }).ok).toBe(false)
  })

  it.each<[string, JsonObject, RegExp]>([
    ['describes no object', { type: 'string' }, /^tool weather: parameters: must be an object schema$/],
    [
      'is no schema',
      { type: 'object', properties: { a: { type: 'sound' } } },
      /^tool weather: parameters: schema is invalid/,
    ],
    [
      'is too large',
      { type: 'object', description: 'x'.repeat(300_000) },
      /^tool weather: parameters: larger than 262144/,
    ],
  ])('is refused when the schema %s', async (_, schema, problem) => {
    await expect(toolFromJsonSchema({ ...definition, parameters: schema, run: () => '' })).rejects.toThrow(problem)
  })
})
