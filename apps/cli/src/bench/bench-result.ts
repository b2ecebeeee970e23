/** One row of the speed budget with the result of this run. */
export interface BenchRow {
  readonly name: string
  /** The measurement, as worded in the budget. */
  readonly measured: string
  readonly budget: string
  readonly isMet: boolean
  /** Every number behind the row, for the JSON file. */
  readonly figures: { readonly [name: string]: number }
}

export interface BenchReport {
  readonly startedAt: string
  readonly machine: { readonly cpu: string; readonly cores: number; readonly memoryGiB: number; readonly node: string }
  readonly rows: readonly BenchRow[]
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const round = (value: number, digits = 2): number => Number(value.toFixed(digits))
