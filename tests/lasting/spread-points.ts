import type { CrashPoint } from '../crash/crash-cycle.ts'
import { samplePoints } from '../crash/sample-points.ts'

/**
 * So many different points, the same for the same seed, of every name as many as of the others: a server that streams
 * passes one of them thousands of times, and the ones that matter here a few dozen times.
 */
export function spreadPoints(hits: ReadonlyMap<string, number>, count: number, seed: number): readonly CrashPoint[] {
  const columns = [...hits].toSorted().map(([name, times], index) => {
    return samplePoints(new Map([[name, times]]), count, seed + index)
  })
  const rows = Array.from({ length: count }, (_, row) => columns.flatMap((column) => column[row] ?? []))
  return rows.flat().slice(0, count)
}
