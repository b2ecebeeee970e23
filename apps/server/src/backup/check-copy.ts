import { findBrokenSessions } from '../doctor/broken-sessions.ts'
import { systemClock } from '../platform/system-clock.ts'
import { EXIT_FAILURE, ServeError } from '../serve-error.ts'
import { findStorage, parseDatabase } from '../stores.ts'

export interface CopyCensus {
  readonly sessions: number
  readonly events: number
}

/** Reads all of a database that was copied into a folder. Rejects with the first problem. */
export async function checkCopy(folder: string): Promise<CopyCensus> {
  const url = parseDatabase(undefined, { dataDir: folder, startDir: folder })
  const inspection = await (await findStorage(url, { clock: systemClock })).inspect()
  try {
    const { sessions, events, problems } = await findBrokenSessions(inspection)
    const [problem, ...others] = [...(await inspection.integrity()), ...problems]
    if (problem === undefined) return { sessions, events }
    const more = others.length === 0 ? '' : ` (and ${others.length} more problems)`
    throw new ServeError(`The database is damaged: ${problem}${more}. Run polylogue doctor.`, EXIT_FAILURE)
  } finally {
    await inspection.close()
  }
}
