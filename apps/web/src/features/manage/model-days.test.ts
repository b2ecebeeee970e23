import type { UsageRow } from '@polylogue/client/console'
import { expect, it } from 'vitest'
import { lastDays, seriesOf } from './model-days.ts'

const DAYS = ['2026-11-01', '2026-11-02']
const row = (day: string, model: string | undefined, inputTokens: number): UsageRow => ({
  ...(model !== undefined && { model }),
  day,
  inputTokens,
  outputTokens: 1,
  calls: 1,
  untoldCalls: 0,
  unpricedCalls: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  cost: {},
  lastAt: 0,
})

it('days are those of UTC, the oldest first', () => {
  expect(lastDays(3, Date.parse('2026-03-01T00:30:00Z'))).toEqual(['2026-02-27', '2026-02-28', '2026-03-01'])
})

it('each model has its tokens of each day, the largest first', () => {
  expect(
    seriesOf([row('2026-11-01', 'small', 4), row('2026-11-02', 'large', 8), row('2026-11-02', 'small', 1)], DAYS),
  ).toEqual([
    { model: 'large', total: 9, tokens: [0, 9] },
    { model: 'small', total: 7, tokens: [5, 2] },
  ])
})

it('many models share the last series, and nothing is lost', () => {
  const rows = ['a', 'b', 'c', 'd', 'e', 'f'].map((model, index) => row('2026-11-01', model, 99 - index))
  const series = seriesOf(rows, DAYS)
  expect(series.map(({ model }) => model)).toEqual(['a', 'b', 'c', 'd', undefined])
  expect(series.at(-1)?.tokens).toEqual([96 + 95, 0])
})

it('a model without a name and one without tokens', () => {
  const idle = { ...row('2026-11-01', 'idle', 0), outputTokens: 0 }
  expect(seriesOf([idle, row('2026-11-01', undefined, 1)], DAYS)).toEqual([{ model: '–', total: 2, tokens: [2, 0] }])
})
