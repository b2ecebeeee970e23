import { describe, expect, it } from 'vitest'
import { createBudgetBook } from './budget-book.ts'
import { findUnlimited } from './find-unlimited.ts'
import { createPriceBook } from './price-book.ts'

describe('the price of a model', () => {
  const usd = (input: number) => ({ input, output: input * 4, currency: 'USD' })
  const book = createPriceBook({
    prices: { 'openai/gpt-5': usd(7), 'openai/gpt-*': usd(3), '*/free': usd(0), 'a.b/c+d': usd(1) },
    providers: {},
    env: {},
  })

  it('is the first that the operator wrote for it', () => {
    expect(book.find('openai/gpt-5')?.input).toBe(7)
    expect(book.find('openai/gpt-4o')?.input).toBe(3)
    expect(book.find('local/free')).toEqual(usd(0))
    expect(book.find('a.b/c+d')?.input).toBe(1)
  })

  it('is else that of the list, and else unknown', () => {
    expect(book.find('anthropic/claude-sonnet-5-5')?.input).toBe(2)
    expect(book.find('axb/ccd')).toBeUndefined()
    expect(book.find('ollama/llama3')).toBeUndefined()
  })
})

describe('a budget of money', () => {
  it('is found not to hold an agent whose model has no price', () => {
    const prices = createPriceBook({
      prices: { 'a/*': { input: 1, output: 1, currency: 'USD' } },
      providers: {},
      env: {},
    })
    const of = (name: string, modelName: string) => ({ name, modelName })
    const agents = [of('one', 'a/x'), of('two', 'b/y'), of('three', 'b/z')]
    const own = [{ name: 'three', budgets: { turn: { steps: 1 } } }]
    const some = createBudgetBook({ budgets: { currency: 'USD', keys: {}, turn: { money: 1 } }, agents: own })
    expect(findUnlimited(agents, { budgets: some, prices })).toEqual([{ agent: 'two', model: 'b/y' }])
    const none = createBudgetBook({ budgets: { currency: 'USD', keys: {}, turn: { steps: 1 } }, agents: [] })
    expect(findUnlimited(agents, { budgets: none, prices })).toEqual([])
  })
})

describe('the budgets of a turn', () => {
  const book = createBudgetBook({
    budgets: {
      currency: 'EUR',
      turn: { steps: 10 },
      session: { tokens: 100 },
      key: { per: 'day', money: 1 },
      keys: { key_1: { per: 'month', money: 50 } },
    },
    agents: [{ name: 'thrifty', budgets: { turn: { steps: 2 } } }, { name: 'plain' }],
  })

  it('are those of the server', () => {
    const expected = { turn: { steps: 10 }, session: { tokens: 100 }, key: { per: 'day', money: 1 } }
    expect(book.budgetsOf('plain', undefined)).toEqual(expected)
    expect(book.budgetsOf('unheard of', 'key_2')).toEqual(expected)
    expect(book.currency).toBe('EUR')
  })

  it('are those of the agent and of the key, where they have some', () => {
    expect(book.budgetsOf('thrifty', 'key_1')).toEqual({
      turn: { steps: 2 },
      session: { tokens: 100 },
      key: { per: 'month', money: 50 },
    })
    expect(book.budgetsOf('plain', 'constructor').key).toEqual({ per: 'day', money: 1 })
  })
})
