import type { PowerLossWorkload } from '../counts.ts'
import { type BadImage, replayPowerLoss } from './replay.ts'
import { traceProgram } from './trace-program.ts'

/** Records a workload once and simulates `images` power losses for each seed. */
export async function replayWorkload(
  { sessions, turns, size, pragmas }: PowerLossWorkload,
  seeds: readonly string[],
  images: number,
): Promise<{ readonly images: number; readonly lost: readonly BadImage[] }> {
  const operations = await traceProgram('play-twice', [...[sessions, turns, size].map(String), ...pragmas])
  const played = { sessions, turns: 2 * turns, size }
  const lost: BadImage[] = []
  for (const seed of seeds) lost.push(...(await replayPowerLoss({ operations, played, seed, images })))
  return { images: seeds.length * images, lost }
}
