import type { ReplayOptions, ReplayReport } from './replay-log.ts'

/** Most processes never replay, so the first call loads it. */
export const replayLog = async (options: ReplayOptions): Promise<ReplayReport> =>
  (await import('./replay-log.ts')).replayLog(options)
