/** Tokens by day and model, for the bars of the usage screen. */
import type { UsageRow } from '@polylogue/client/console'

/** As many as can be told apart without colours. */
const MOST_SERIES = 5
const DAY_MS = 24 * 60 * 60 * 1000

export interface ModelSeries {
  /** Absent for all models that have no series of their own. */
  readonly model?: string
  readonly total: number
  /** One number for each day. */
  readonly tokens: readonly number[]
}

/** The last days in UTC, such as `2026-11-01`, the oldest first. */
export const lastDays = (count: number, now = Date.now()): readonly string[] =>
  Array.from({ length: count }, (_, index) => new Date(now - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10))

/** The model with the most tokens first. What is beyond the number of series is summed up in the last one. */
export function seriesOf(rows: readonly UsageRow[], days: readonly string[]): readonly ModelSeries[] {
  const models = Map.groupBy(rows, ({ model = '–' }) => model)
  const all = [...models].map(([model, ofModel]) => ({ model, ...sumsOf(ofModel, days) }))
  const used = all.filter(({ total }) => total > 0).toSorted((a, b) => b.total - a.total)
  if (used.length <= MOST_SERIES) return used
  const shown = used.slice(0, MOST_SERIES - 1)
  const names = new Set(shown.map(({ model }) => model))
  return [
    ...shown,
    sumsOf(
      rows.filter(({ model = '–' }) => !names.has(model)),
      days,
    ),
  ]
}

function sumsOf(rows: readonly UsageRow[], days: readonly string[]): Omit<ModelSeries, 'model'> {
  const tokens = days.map((day) =>
    rows.filter((row) => row.day === day).reduce((sum, row) => sum + row.inputTokens + row.outputTokens, 0),
  )
  return { tokens, total: tokens.reduce((sum, count) => sum + count, 0) }
}
