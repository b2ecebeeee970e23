import type { JsonObject } from '@polylogue/engine'
import { describe, expect, it } from 'vitest'
import { toSentCallId } from './sent-call-id.ts'
import { toObjectSchema } from './tool-schema.ts'
import { ToolNames } from './tool-names.ts'

describe('names of tools', () => {
  it('that every provider accepts stay unchanged', () => {
    const names = new ToolNames(['Read', 'mcp__files__read', 'a-b'])
    expect(['Read', 'mcp__files__read', 'a-b'].map((name) => names.toSent(name))).toEqual([
      'Read',
      'mcp__files__read',
      'a-b',
    ])
  })

  it('that some provider refuses are changed, never to one that another tool has', () => {
    const names = new ToolNames(['a.b', 'a_b', 'a/b', '9lives', 'x'.repeat(70), ''])
    const sent = ['a.b', 'a_b', 'a/b', '9lives', 'x'.repeat(70), ''].map((name) => names.toSent(name))
    expect(sent).toEqual(['a_b_2', 'a_b', 'a_b_3', '_9lives', 'x'.repeat(64), '_'])
    expect(sent.map((name) => names.fromSent(name))).toEqual(['a.b', 'a_b', 'a/b', '9lives', 'x'.repeat(70), ''])
  })

  it('that a model invented are returned unchanged', () => {
    expect(new ToolNames(['Read']).fromSent('Write')).toBe('Write')
  })
})

describe('ids of calls', () => {
  it('stay unchanged where possible', () => {
    expect(toSentCallId('toolu_01-Ab', false)).toBe('toolu_01-Ab')
    expect(toSentCallId('a1B2c3D4e', true)).toBe('a1B2c3D4e')
  })

  it('are replaced by one that is always the same', () => {
    expect(toSentCallId('a b', false)).toMatch(/^call_[0-9a-f]{32}$/)
    expect(toSentCallId('a b', false)).toBe(toSentCallId('a b', false))
    expect(toSentCallId('toolu_01-Ab', true)).toMatch(/^[0-9a-f]{9}$/)
  })
})

describe('parameters of a tool', () => {
  it('are one object with properties, whatever they were', () => {
    expect(toObjectSchema({})).toEqual({ type: 'object', properties: {} })
    expect(
      toObjectSchema({ $schema: 'x', type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }),
    ).toEqual({
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
    })
  })

  it('keep the properties of alternatives, which providers refuse at the top', () => {
    const schema: JsonObject = {
      anyOf: [
        { properties: { a: { type: 'string' } }, required: ['a'] },
        { properties: { b: { type: 'number' } } },
        true,
      ],
      description: 'either',
    }
    expect(toObjectSchema(schema)).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'number' } },
      description: 'either',
    })
  })

  it('are safe with names that objects have by themselves', () => {
    const schema = JSON.parse('{"properties": {"__proto__": {"type": "string"}}}')
    expect(Object.keys(Object(toObjectSchema(schema)['properties']))).toEqual(['__proto__'])
  })
})
