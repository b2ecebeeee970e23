import type { UsageAmounts } from '@polylogue/console/client'
import { expect, it } from 'vitest'
import { formatEvaluation } from './eval-table.ts'

const usage: UsageAmounts = {
  calls: 3,
  untoldCalls: 0,
  unpricedCalls: 0,
  inputTokens: 1200,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 40,
  reasoningTokens: 0,
  cost: { USD: 0.25 },
  lastAt: 0,
}

it('a row says what a task took, the last one sums up, and reasons follow', () => {
  const table = formatEvaluation([
    { task: 'one', about: '', passed: true, usage },
    {
      task: 'two',
      about: '',
      passed: false,
      why: 'AssertionError: 1 \u001b[2J',
      usage: { ...usage, unpricedCalls: 3, cost: {} },
    },
    { task: 'three', about: '', passed: false, why: 'No model.' },
  ])
  expect(table).toBe(`TASK   RESULT  STEPS  INPUT  OUTPUT  COST
one    pass    3      1200   40      0.25 USD
two    FAIL    3      1200   40      ?
three  FAIL    0      0      0       –
total  1/3     6      2400   80      0.25 USD + ?

two: AssertionError: 1 \\u001b[2J
three: No model.
`)
})

it('the cost of all tasks is summed by currency', () => {
  const task = (cost: UsageAmounts['cost']) => ({ task: 'a', about: '', passed: true, usage: { ...usage, cost } })
  const lastLine = (...tasks: Parameters<typeof formatEvaluation>[0]) =>
    formatEvaluation(tasks).trim().split('\n').at(-1)
  expect(lastLine(task({ USD: 0.25 }), task({ USD: 0.5, EUR: 1 }))).toMatch(/0\.75 USD \+ 1\.00 EUR$/)
  expect(lastLine({ task: 'a', about: '', passed: false })).toMatch(/–$/)
})
