import { SLOW_SCHEMAS } from '@polylogue/testkit'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { describe, expect, it } from 'vitest'
import { outputTools } from './output-tools.ts'

const SCHEMA = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }

/** On a machine that is busy with other tests; the proof holds a quiet one to 250 ms. */
const LONGEST_STALL_MS = 1000

describe('the tool through which a turn gives an answer of a given shape', () => {
  it('accepts what fits, and says what does not', async () => {
    const tool = outputTools.toolFor({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...SCHEMA })
    expect(tool.parameters).toEqual(SCHEMA)
    expect(await tool.deepCheck?.({ n: 1 })).toEqual({ ok: true, input: { n: 1 } })
    expect(await tool.deepCheck?.({ n: 'one' })).toEqual({ ok: false, problem: 'n: must be number' })
    expect(await tool.deepCheck?.({})).toEqual({ ok: false, problem: "must have required property 'n'" })
  })

  it.each([
    [{ type: 'array' }, 'must be an object schema'],
    [{ type: 'object', properties: { a: { type: 'nothing' } } }, 'schema is invalid'],
    [{ type: 'object', description: 'x'.repeat(300_000) }, 'larger than 262144'],
    [{ type: 'object', properties: { a: { type: 'string', pattern: '(' } } }, 'outputSchema'],
  ])('names the problem of an invalid schema', async (schema, problem) => {
    expect(await outputTools.problemOf(schema)).toContain(problem)
  })

  it('answers in time whatever schema and value it is given, and never holds the loop', async () => {
    expect(SLOW_SCHEMAS.length).toBeGreaterThanOrEqual(50)
    const sample = SLOW_SCHEMAS.filter((_, index) => index % 5 === 0)
    await outputTools.problemOf(SCHEMA)
    const delays = monitorEventLoopDelay({ resolution: 10 })
    delays.enable()
    const tooSlow: string[] = []
    for (const { name, schema, value } of sample) {
      const problem = await outputTools.problemOf(schema)
      const checked = problem === undefined ? await outputTools.toolFor(schema).deepCheck?.(value) : undefined
      const said = problem ?? (checked?.ok === false ? checked.problem : '')
      if (said.includes('takes more than')) tooSlow.push(name)
    }
    delays.disable()
    expect(delays.max / 1e6).toBeLessThan(LONGEST_STALL_MS)
    // They are what they claim to be: most of them never end by themselves.
    expect(tooSlow.length).toBeGreaterThan(sample.length / 2)
    // And the next honest one is answered as before.
    expect(await outputTools.toolFor(SCHEMA).deepCheck?.({ n: 2 })).toEqual({ ok: true, input: { n: 2 } })
  })

  it('does not try a schema again that was too slow once', async () => {
    const [slow] = SLOW_SCHEMAS
    if (slow === undefined) throw new Error('there are slow schemas')
    const check = () => outputTools.toolFor(slow.schema).deepCheck?.(slow.value)
    expect(await check()).toMatchObject({ ok: false })
    const startedAt = performance.now()
    expect(await check()).toMatchObject({ ok: false })
    expect(performance.now() - startedAt).toBeLessThan(100)
  })
})
