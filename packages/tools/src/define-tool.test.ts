import type { JsonObject, Tool } from '@polylogue/engine'
import { createInvocation } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineCheckedTool, defineTool } from './define-tool.ts'

function runWith(tool: Tool, input: JsonObject): ReturnType<Tool['run']> {
  return tool.run(createInvocation(tool, input))
}

function toolReturning(value: unknown): Tool {
  return defineTool({ name: 'give', description: '', input: z.object({}), effect: 'readonly', run: () => value })
}

async function outputOf(value: unknown): Promise<unknown> {
  return runWith(toolReturning(value), {})
}

describe('a defined tool', () => {
  const roll = defineTool({
    name: 'roll_dice',
    title: 'Roll dice',
    description: 'Rolls dice.',
    input: z.object({
      sides: z.number().int().min(2).describe('How many sides'),
      times: z.number().int().default(1),
      labels: z.array(z.object({ text: z.string() })).optional(),
    }),
    effect: 'idempotent',
    run: ({ input, toolCallId, attempt }) => {
      const times: number = input.times
      return `${times} of ${input.sides} (${toolCallId}, attempt ${attempt})`
    },
  })

  it('describes its input as JSON Schema without $schema, optional where there is a default', () => {
    expect(roll.parameters).toEqual({
      type: 'object',
      properties: {
        sides: { type: 'integer', minimum: 2, maximum: Number.MAX_SAFE_INTEGER, description: 'How many sides' },
        times: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, default: 1 },
        labels: {
          type: 'array',
          items: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        },
      },
      required: ['sides'],
    })
    expect(Reflect.ownKeys(roll.parameters)).toEqual(['type', 'properties', 'required'])
  })

  it('keeps what its author declared, and is exposed by default', () => {
    expect(roll).toMatchObject({ name: 'roll_dice', title: 'Roll dice', description: 'Rolls dice.', exposed: true })
    expect(roll.effect).toBe('idempotent')
    expect('title' in toolReturning('')).toBe(false)
    const own = { name: 'own', description: '', input: z.object({}), effect: 'unsafe', exposed: false } as const
    expect(defineTool({ ...own, run: () => '' }).exposed).toBe(false)
  })

  it('runs with the input that its check made', async () => {
    const check = roll.check({ sides: 6 })
    expect(check).toEqual({ ok: true, input: { sides: 6, times: 1 } })
    expect(await runWith(roll, { sides: 6 })).toEqual({ content: '1 of 6 (tc_1, attempt 1)' })
  })

  it.each<[JsonObject, string]>([
    [{}, 'sides: is missing'],
    [{ sides: 'six' }, 'sides: must be a number'],
    [{ sides: 1 }, 'sides: Too small: expected number to be >=2'],
    [{ sides: 6, labels: [{ text: 'a' }, { text: null }] }, 'labels[1].text: must be a string'],
  ])('names the field that is wrong in %j', (input, problem) => {
    expect(roll.check(input)).toEqual({ ok: false, problem })
  })

  it('says what a union or a list of values would take', () => {
    const pick = defineTool({
      name: 'pick',
      description: '',
      input: z.strictObject({
        unit: z.enum(['cm', 'in']).optional(),
        size: z.union([z.number(), z.object({ width: z.number() })]).optional(),
        shape: z.discriminatedUnion('kind', [z.object({ kind: z.literal('disc') })]).optional(),
      }),
      effect: 'readonly',
      run: () => '',
    })
    expect(pick.check({ unit: 'ft' })).toEqual({ ok: false, problem: 'unit: must be one of cm, in' })
    expect(pick.check({ colour: 'red' })).toEqual({ ok: false, problem: 'colour: unknown key' })
    expect(pick.check({ size: {} })).toEqual({ ok: false, problem: 'size: must be a number, or width: is missing' })
    expect(pick.check({ shape: { kind: 'cube' } })).toEqual({ ok: false, problem: 'shape.kind: must be one of disc' })
  })

  it("shows the author's own words about a field", () => {
    const input = z.object({ city: z.string('is the name of a city'), day: z.string().min(1) })
    const tool = defineTool({ name: 'w', description: '', input, effect: 'readonly', run: () => '' })
    expect(tool.check({ city: 1 })).toEqual({ ok: false, problem: 'city: is the name of a city' })
    expect(tool.check({ city: 'Oslo', day: '' })).toEqual({ ok: false, problem: 'day: must not be empty' })
  })

  it('refuses input, and does not throw, when its schema cannot check at once', () => {
    const input = z.object({ name: z.string().refine(async () => true) })
    const tool = defineTool({ name: 'later', description: '', input, effect: 'readonly', run: () => '' })
    const check = tool.check({ name: 'x' })
    expect(check.ok ? '' : check.problem).toMatch(/^cannot be checked: /)
  })

  it('rejects with what its author threw, synchronously or later', async () => {
    const definition = { name: 'bad', description: '', input: z.object({}), effect: 'readonly' } as const
    const atOnce = defineTool({
      ...definition,
      run: () => {
        throw new Error('no luck')
      },
    })
    await expect(runWith(atOnce, {})).rejects.toThrow('no luck')
    const later = defineTool({ ...definition, run: () => Promise.reject(new Error('no luck later')) })
    await expect(runWith(later, {})).rejects.toThrow('no luck later')
  })
})

describe('a definition is refused', () => {
  const definition = { description: '', effect: 'readonly', run: () => '' } as const

  it.each(['', 'two words', 'a'.repeat(65), 'été'])('with the name %j', (name) => {
    expect(() => defineTool({ ...definition, name, input: z.object({}) })).toThrow(/name: must match/)
  })

  it('when its input is no object', () => {
    const define = (): Tool => defineCheckedTool({ ...definition, name: 'say', input: z.string() })
    expect(define).toThrow(new TypeError('tool say: input: must be an object schema'))
  })

  it('only when its parameters are read, if it is one of ours', () => {
    const tool = defineTool({ ...definition, name: 'say', input: z.string() })
    expect(() => tool.parameters).toThrow(new TypeError('tool say: input: must be an object schema'))
  })

  it('when JSON Schema cannot describe its input', () => {
    const define = (): Tool => defineCheckedTool({ ...definition, name: 'at', input: z.object({ when: z.date() }) })
    expect(define).toThrow(new TypeError('tool at: input: Date cannot be represented in JSON Schema'))
  })
})

describe('what a tool returns', () => {
  const image = { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } }
  const circle: { self?: unknown } = {}
  circle.self = circle

  it.each<[string, unknown, unknown]>([
    ['a string as it is', 'two "words"', { content: 'two "words"' }],
    ['nothing as the empty string', undefined, { content: '' }],
    ['an object as JSON', { a: [1, null] }, { content: '{"a":[1,null]}' }],
    ['a number as JSON', 42, { content: '42' }],
    ['null as JSON', null, { content: 'null' }],
    ['a plain list as JSON', ['a', 'b'], { content: '["a","b"]' }],
    ['an empty list as JSON', [], { content: '[]' }],
    ['a promise as what it comes to', Promise.resolve('soon'), { content: 'soon' }],
    [
      'a list of parts as parts',
      [{ type: 'text', text: 'a' }, image],
      { content: [{ type: 'text', text: 'a' }, image] },
    ],
    ['a whole output as it is', { content: 'no such file', isError: true }, { content: 'no such file', isError: true }],
    ['a whole output of parts as it is', { content: [image] }, { content: [image] }],
    [
      'an object that only looks like one as JSON',
      { content: 'a', by: 'me' },
      { content: '{"content":"a","by":"me"}' },
    ],
    [
      'parts with a stranger among them as JSON',
      [image, { type: 'sound' }],
      { content: JSON.stringify([image, { type: 'sound' }]) },
    ],
  ])('%s', async (_, returned, output) => {
    expect(await outputOf(returned)).toEqual(output)
  })

  it.each<[string, unknown, RegExp]>([
    ['a function', () => 1, /^The tool give returned a value that cannot be written as JSON: a function$/],
    ['a big integer', 1n, /^The tool give returned a value that cannot be written as JSON: .*BigInt/],
    ['a circle', circle, /^The tool give returned a value that cannot be written as JSON: .*circular/i],
  ])('%s as a failure in words', async (_, returned, content) => {
    expect(await outputOf(returned)).toEqual({ content: expect.stringMatching(content), isError: true })
  })
})
