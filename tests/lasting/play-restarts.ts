import type { CrashPoint } from '../crash/crash-cycle.ts'
import { playThroughRestart } from './lasting-cycle.ts'

/** Where one server after the other is killed. */
export type Restarts = readonly CrashPoint[]

/** Most of a cycle is waiting for processes to start. */
const LANES = 2

export async function playRestarts(
  cycles: readonly Restarts[],
): Promise<{ readonly reached: number; readonly complaints: readonly string[] }> {
  const waiting = [...cycles]
  const complaints: string[] = []
  let reached = 0
  const work = async (): Promise<void> => {
    for (let cycle = waiting.shift(); cycle !== undefined; cycle = waiting.shift()) {
      const where = cycle.map(({ name, hit }) => `${name}@${hit}`).join(', then ')
      try {
        const result = await playThroughRestart(...cycle)
        if (result.wasReached) reached += 1
        complaints.push(...result.complaints.map((complaint) => `${where}: ${complaint}`))
      } catch (error) {
        complaints.push(`${where}: ${String(error)}`)
      }
    }
  }
  await Promise.all(Array.from({ length: LANES }, work))
  return { reached, complaints }
}
