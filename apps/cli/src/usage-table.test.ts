import { describe, expect, it } from 'vitest'
import { formatUsage, usageNotes } from './usage-table.ts'
import type { UsageAmounts } from '@polylogue/console/client'

const amounts = (more: Partial<UsageAmounts> = {}): UsageAmounts => ({
  calls: 2,
  untoldCalls: 0,
  unpricedCalls: 0,
  inputTokens: 1200,
  cachedInputTokens: 1000,
  cacheWriteTokens: 0,
  outputTokens: 34,
  reasoningTokens: 0,
  cost: {},
  lastAt: 0,
  ...more,
})

describe('a table of usage', () => {
  it('has a line for each group and their total', () => {
    const rows = [
      { model: 'openai/gpt-5', ...amounts({ cost: { USD: 0.00021 } }) },
      { model: 'local/llama', ...amounts({ unpricedCalls: 2 }) },
    ]
    const total = amounts({ calls: 4, unpricedCalls: 2, cost: { USD: 0.00021 } })
    expect(formatUsage({ rows, total }, ['model']).split('\n')).toEqual([
      'MODEL         CALLS  INPUT  CACHED  OUTPUT  COST',
      'openai/gpt-5  2      1200   1000    34      0.00021 USD',
      'local/llama   2      1200   1000    34      ?',
      'total         4      1200   1000    34      0.00021 USD + ?',
      '',
    ])
  })

  it('names currencies apart, calls that cost nothing, and sessions that are gone', () => {
    const rows = [
      { ...amounts({ cost: { USD: 12.5, EUR: 0 } }) },
      { session: 's-1', ...amounts({ calls: 1, untoldCalls: 1 }) },
    ]
    expect(formatUsage({ rows }, ['session'])).toContain(
      '(deleted)  2      1200   1000    34      12.50 USD + 0.00 EUR',
    )
    expect(formatUsage({ rows }, ['session'])).toContain('s-1        1      1200   1000    34      ?')
  })

  it('shows what a sub-agent came to with those below it', () => {
    const rows = [{ subAgents: ['loop_a', 'root'], ...amounts(), withSubAgents: amounts({ cost: { USD: 1 } }) }]
    expect(formatUsage({ rows }, ['sub-agent']).split('\n')[0]).toMatch(/COST +WITH SUB-AGENTS$/)
    expect(formatUsage({ rows }, ['sub-agent'])).toMatch(/loop_a < root .*1\.00 USD$/m)
  })

  it('says in words what the figures leave out', () => {
    expect(usageNotes({ rows: [], total: amounts() })).toEqual([])
    expect(usageNotes({ rows: [], total: amounts({ unpricedCalls: 1, untoldCalls: 3 }) })).toEqual([
      '1 call has no known price, so the cost leaves it out. Set prices in the configuration.',
      '3 calls have been cut off before the provider reported their tokens.',
    ])
  })
})
