import { createHash } from 'node:crypto'
import type { JsonObject } from '@polylogue/engine'
import { describe, expect, it } from 'vitest'
import { parseToolDefinition } from './tool-definition.ts'

const digest = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex')
const define = (inputSchema: unknown) => parseToolDefinition({ name: 't', inputSchema }, digest)
const deep = (levels: number): JsonObject => {
  let schema: JsonObject = { type: 'string' }
  for (let level = 0; level < levels; level += 1) schema = { type: 'object', properties: { a: schema } }
  return schema
}

describe('the schema of a stranger', () => {
  it('refuses input of the wrong shape before it is sent', async () => {
    const { check } = await define({
      type: 'object',
      properties: {
        n: { type: 'integer', minimum: -5 },
        kind: { enum: ['a', 'b'] },
        list: { type: 'array', items: { type: 'string' } },
      },
      required: ['n'],
      additionalProperties: false,
    })
    expect(check({ n: -5, kind: 'a', list: ['x'] })).toMatchObject({ ok: true })
    expect(check({})).toEqual({ ok: false, problem: "must have required property 'n'" })
    expect(check({ n: 'x' })).toEqual({ ok: false, problem: 'n: must be integer' })
    expect(check({ n: 1, kind: 'c' })).toMatchObject({ ok: false })
    expect(check({ n: 1, list: [2] })).toMatchObject({ ok: false })
    expect(check({ n: 1, other: 2 })).toMatchObject({ ok: false })
  })

  it('is shown to the model unchanged, except for its dialect', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^x$' } }, $defs: { d: {} } }
    const { inputSchema } = await define({ $schema: 'http://json-schema.org/draft-07/schema#', ...schema })
    expect(inputSchema).toEqual(schema)
  })

  it.each([
    ['a pattern that backtracks', { properties: { a: { pattern: '^(a+)+$' } } }, { a: `${'a'.repeat(40)}!` }],
    [
      'patterns of names',
      { patternProperties: { '^(a+)+$': {} }, additionalProperties: false },
      { [`${'a'.repeat(40)}!`]: 1 },
    ],
    ['a reference to itself', { allOf: [{ $ref: '#' }] }, { a: 1 }],
    ['a reference into the void', { properties: { a: { $ref: 'https://evil.example/schema' } } }, { a: 1 }],
    [
      'references that double',
      {
        allOf: [{ $ref: '#/$defs/d0' }],
        $defs: Object.fromEntries(
          Array.from({ length: 40 }, (_, n) => [
            `d${n}`,
            { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
          ]),
        ),
      },
      { a: 1 },
    ],
    [
      'an older dialect',
      { properties: { a: { type: 'array', items: [{ type: 'string' }] }, b: { exclusiveMinimum: true } } },
      { a: ['x'] },
    ],
    [
      'a property with a bad name',
      JSON.parse('{"properties":{"__proto__":{"type":"string"}}}') as JsonObject,
      { a: 1 },
    ],
    ['types that are none', { properties: { a: { type: 'any' } }, required: 'a' }, { a: 1 }],
  ])('does no harm by %s', async (_, schema, input: JsonObject) => {
    const startedAt = performance.now()
    const { check } = await define({ ...schema, type: 'object' })
    expect(check(input)).toMatchObject({ ok: true })
    expect(performance.now() - startedAt).toBeLessThan(2000)
  })

  it.each([
    ['no schema', undefined, 'inputSchema'],
    ['not an object', { type: 'array' }, 'inputSchema.type'],
    ['too deep', deep(40), 'nested more than 32 deep'],
    ['bottomless', deep(20_000), 'nested more than 32 deep'],
    ['too large', { type: 'object', description: 'x'.repeat(70_000) }, 'larger than 65536'],
  ])('is refused when it is %s', async (_, schema, problem) => {
    await expect(define(schema)).rejects.toThrow(problem)
  })
})

describe('the digest of a definition', () => {
  const tool = { name: 't', description: 'd', inputSchema: { type: 'object', properties: { a: {}, b: {} } } }
  const digestOf = async (value: object) => (await parseToolDefinition(value, digest)).digest

  it('changes with everything that a server says of a tool', async () => {
    const digests = await Promise.all(
      [
        tool,
        { ...tool, description: 'e' },
        { ...tool, title: 'T' },
        { ...tool, inputSchema: { type: 'object' } },
        { ...tool, annotations: { readOnlyHint: true } },
        // Beyond what is shown.
        { ...tool, description: `${'d'.repeat(9000)}1` },
        { ...tool, description: `${'d'.repeat(9000)}2` },
      ].map(digestOf),
    )
    expect(new Set(digests).size).toBe(digests.length)
  })

  it('does not change with the order of keys', async () => {
    const turned = { inputSchema: { properties: { b: {}, a: {} }, type: 'object' }, description: 'd', name: 't' }
    expect(await digestOf(turned)).toBe(await digestOf(tool))
  })
})
