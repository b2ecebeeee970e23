import { type CrashPoint, type CrashTime, playThroughCrash } from '../crash/crash-cycle.ts'

/** The points where consecutive servers are killed. */
export type Cycle = readonly (CrashPoint | CrashTime)[]

export interface PlayedCycles {
  /** Cycles in which every server died at its point and not at rest. */
  readonly reached: number
  readonly complaints: readonly string[]
}

/** Plays the cycles, some of them at the same time. */
export async function playCycles(cycles: readonly Cycle[], lanes = 3): Promise<PlayedCycles> {
  const waiting = [...cycles]
  const complaints: string[] = []
  let reached = 0
  const work = async (): Promise<void> => {
    for (let cycle = waiting.shift(); cycle !== undefined; cycle = waiting.shift()) {
      const where = cycle.map(describePoint).join(', then ')
      try {
        const result = await playThroughCrash(...cycle)
        if (result.wasReached) reached += 1
        complaints.push(...result.complaints.map((complaint) => `${where}: ${complaint}`))
      } catch (error) {
        complaints.push(`${where}: ${String(error)}`)
      }
    }
  }
  await Promise.all(Array.from({ length: lanes }, work))
  return { reached, complaints }
}

function describePoint(point: CrashPoint | CrashTime): string {
  return 'name' in point ? `${point.name}@${point.hit}` : `after ${point.afterMs} ms`
}

/** Every hit of every point. */
export function everyPoint(hits: ReadonlyMap<string, number>): readonly CrashPoint[] {
  return [...hits].flatMap(([name, count]) => Array.from({ length: count }, (_, index) => ({ name, hit: index + 1 })))
}
