import { parseWith } from '@polylogue/tools'
import { describe, expect, it } from 'vitest'
import { configSchema } from '../config/config-schema.ts'

function problemWith(config: unknown): string {
  const parsed = parseWith(configSchema, config)
  return parsed.ok ? 'none' : parsed.problem
}

describe('prices and budgets in a configuration', () => {
  it('are as written, in US dollars and per day by default', () => {
    const written = {
      prices: { 'openai/gpt-*': { input: 2, output: 8, long: { above: 200_000, input: 4, output: 12 } } },
      budgets: { turn: { money: 0.5, wallTimeMs: 60_000 }, key: { tokens: 1000 }, keys: { key_1: { steps: 3 } } },
    }
    expect(parseWith(configSchema, written)).toMatchObject({
      ok: true,
      value: {
        prices: { 'openai/gpt-*': { currency: 'USD', long: { above: 200_000 } } },
        budgets: { currency: 'USD', key: { per: 'day', tokens: 1000 }, keys: { key_1: { per: 'day', steps: 3 } } },
      },
    })
  })

  it.each([
    [{ prices: { gpt: { input: 1, output: 1 } } }, 'provider/model'],
    [{ prices: { 'a/b': { input: -1, output: 1 } } }, 'prices'],
    [{ prices: { 'a/b': { input: 1 } } }, 'output'],
    [{ prices: { 'a/b': { input: 1, output: 1, currency: 'dollars' } } }, 'three capital letters'],
    [{ budgets: { turn: { tokens: 0 } } }, 'budgets.turn.tokens'],
    [{ budgets: { turn: { cents: 5 } } }, 'cents'],
    [{ budgets: { session: { wallTimeMs: 5000 } } }, 'wallTimeMs'],
    [{ budgets: { key: { per: 'year' } } }, 'budgets.key.per'],
    [{ agents: [{ name: 'a', instructions: '', budgets: { key: { per: 'day' } } }] }, 'key'],
  ])('are refused when they are wrong: %j', (config, sentence) => {
    expect(problemWith(config)).toContain(sentence)
  })
})
