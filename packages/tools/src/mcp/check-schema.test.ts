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
  it('refuses input of the wrong shape before it is sent', () => {
    const { check } = define({
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

  it('is shown to the model unchanged, except for its dialect', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^x$' } }, $defs: { d: {} } }
    const { inputSchema } = define({ $schema: 'http://json-schema.org/draft-07/schema#', ...schema })
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
    [
      'thousands of constants for every element',
      { properties: { a: { items: { anyOf: Array.from({ length: 4000 }, (_, n) => ({ const: n })) } } } },
      { a: Array.from({ length: 20_000 }, () => 3999) },
    ],
    [
      'thousands of allowed objects for every element',
      { properties: { a: { items: { enum: Array.from({ length: 6000 }, (_, n) => ({ a: n })) } } } },
      { a: Array.from({ length: 20_000 }, () => ({ a: 5999 })) },
    ],
    [
      'thousands of counts of a long text',
      { properties: { a: { allOf: Array.from({ length: 3000 }, () => ({ minLength: 1 })) } } },
      { a: '😀'.repeat(100_000) },
    ],
    [
      'thousands of looks at a large object',
      { allOf: Array.from({ length: 1000 }, () => ({ minProperties: 1, additionalProperties: {} })) },
      Object.fromEntries(Array.from({ length: 40_000 }, (_, n) => [`p${n}`, n])),
    ],
    [
      'thousands of properties',
      { properties: Object.fromEntries(Array.from({ length: 2500 }, (_, n) => [`p${n}`, { type: 'string' }])) },
      { p1: 'x' },
    ],
  ])('does no harm by %s', (_, schema, input: JsonObject) => {
    const startedAt = performance.now()
    const { check } = define({ ...schema, type: 'object' })
    expect(check(input)).toMatchObject({ ok: true })
    expect(performance.now() - startedAt).toBeLessThan(500)
  })

  it.each<readonly [JsonObject, JsonObject, string | undefined]>([
    [{ properties: { a: { const: { x: [1] } } } }, { a: { x: [1] } }, undefined],
    [{ properties: { a: { const: { x: [1] } } } }, { a: { x: [2] } }, 'a: must be equal to constant'],
    [{ properties: { a: { enum: ['x', null] } } }, { a: null }, undefined],
    [{ properties: { a: { enum: ['x', 1] } } }, { a: '1' }, 'a: must be equal to one of the allowed values'],
    [{ properties: { a: { type: ['string', 'null'] } } }, { a: 1 }, 'a: must be string,null'],
    [{ properties: { a: { maximum: 3 } } }, { a: 4 }, 'a: must be <= 3'],
    [{ properties: { a: { exclusiveMinimum: 3 } } }, { a: 3 }, 'a: must be > 3'],
    [{ properties: { a: { maxLength: 2 } } }, { a: '😀😀' }, undefined],
    [{ properties: { a: { maxLength: 1 } } }, { a: '😀😀' }, 'a: must NOT have more than 1 characters'],
    [{ properties: { a: { minItems: 1 } } }, { a: [] }, 'a: must NOT have fewer than 1 items'],
    [{ minProperties: 2 }, { a: 1 }, 'must NOT have fewer than 2 properties'],
    [{ additionalProperties: { type: 'string' } }, { a: 1 }, 'a: must be string'],
    [{ additionalProperties: false }, { a: 1 }, 'a: is not a property of this object'],
    [
      { properties: { a: { items: { required: ['b'] } } } },
      { a: [{ b: 1 }, {}] },
      "a.1: must have required property 'b'",
    ],
    [{ properties: { a: { allOf: [{ minimum: 1 }, { maximum: 2 }] } } }, { a: 3 }, 'a: must be <= 2'],
    [
      { properties: { a: { anyOf: [{ type: 'string' }, { minimum: 5 }] } } },
      { a: 3 },
      'a: must match a schema in anyOf',
    ],
    [{ properties: { a: false } }, { a: 3 }, 'a: is not allowed'],
    [{ required: ['toString'] }, {}, "must have required property 'toString'"],
    [{ properties: { toString: { type: 'string' } } }, {}, undefined],
  ])('%j and %j: %s', (schema, input, problem) => {
    const checked = define({ ...schema, type: 'object' }).check(input)
    expect(checked.ok ? undefined : checked.problem).toBe(problem)
  })

  it.each([
    ['no schema', undefined, 'inputSchema'],
    ['not an object', { type: 'array' }, 'inputSchema.type'],
    ['too deep', deep(40), 'nested more than 32 deep'],
    ['bottomless', deep(20_000), 'nested more than 32 deep'],
    ['too large', { type: 'object', description: 'x'.repeat(70_000) }, 'larger than 65536'],
  ])('is refused when it is %s', (_, schema, problem) => {
    expect(() => define(schema)).toThrow(problem)
  })
})

describe('the digest of a definition', () => {
  const tool = { name: 't', description: 'd', inputSchema: { type: 'object', properties: { a: {}, b: {} } } }
  const digestOf = (value: object) => parseToolDefinition(value, digest).digest

  it('changes with everything that a server says of a tool', () => {
    const digests = [
      tool,
      { ...tool, description: 'e' },
      { ...tool, title: 'T' },
      { ...tool, inputSchema: { type: 'object' } },
      { ...tool, annotations: { readOnlyHint: true } },
      // Beyond what is shown.
      { ...tool, description: `${'d'.repeat(9000)}1` },
      { ...tool, description: `${'d'.repeat(9000)}2` },
    ].map(digestOf)
    expect(new Set(digests).size).toBe(digests.length)
  })

  it('does not change with the order of keys', () => {
    const turned = { inputSchema: { properties: { b: {}, a: {} }, type: 'object' }, description: 'd', name: 't' }
    expect(digestOf(turned)).toBe(digestOf(tool))
  })
})
