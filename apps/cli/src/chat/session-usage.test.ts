import { expect, it } from 'vitest'
import { formatSessionUsage } from './session-usage.ts'

const amounts = {
  ...{ calls: 2, untoldCalls: 0, unpricedCalls: 0, inputTokens: 1200, cachedInputTokens: 0, cacheWriteTokens: 0 },
  ...{ outputTokens: 30, reasoningTokens: 0, cost: { USD: 0.05 }, lastAt: 0 },
}

it('says what a session has used, and never that an unknown price is zero', () => {
  expect(formatSessionUsage({ rows: [] })).toBe('Nothing was used in this session yet.')
  expect(formatSessionUsage({ rows: [], total: amounts })).toBe(
    '2 model calls · tokens: 1200 read, 30 written · 0.05 USD',
  )
  expect(formatSessionUsage({ rows: [], total: { ...amounts, calls: 1, unpricedCalls: 1, cost: {} } })).toBe(
    '1 model call · tokens: 1200 read, 30 written · cost unknown',
  )
})
