import { openSqliteStores } from '@polylogue/store-sqlite'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../system-clock.ts'
import { checkStored, readSaid } from '../workload/check-stored.ts'
import { playSession } from '../workload/play-session.ts'
import { holdLocks } from './hold-locks.ts'

const SESSIONS = 2
const SIZE = 4_000

/**
 * A reader holds one snapshot, so the log cannot restart and grows. Nothing may fail. When the reader leaves, the log
 * must stop growing. `turns` are played before and after that.
 */
export async function starveCheckpoints(turns: number): Promise<readonly string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'polylogue-reader-'))
  const file = join(directory, 'polylogue.db')
  const { events, inspect, close } = await openSqliteStores({ file, clock: systemClock })
  const lines: string[] = []
  const play = async (after: number): Promise<number> => {
    const stored = (session: number, lastSeq: number): void => void lines.push(`ack ${session} ${lastSeq}`)
    for (let session = 1; session <= SESSIONS; session++) {
      await playSession(events, { session, after, turns, size: SIZE, stored })
    }
    return (await stat(`${file}-wal`)).size
  }
  try {
    await playSession(events, { session: 9, turns: 1, size: 1, stored: () => undefined })
    const reader = await holdLocks('read', [file])
    const starved = await play(0)
    const more = await play(turns)
    await reader.release()
    await play(2 * turns)
    const relieved = await play(3 * turns)
    const problems = [
      ...(await checkStored(events, readSaid(lines), { sessions: SESSIONS, turns: 4 * turns, size: SIZE })),
    ]
    if (more < 1.5 * starved) problems.push(`the log did not grow behind the reader: ${starved}, then ${more} bytes`)
    // The log restarts in the same file, so the file does not grow.
    if (relieved > more + 2 * CHECKPOINTED_BYTES)
      problems.push(`the log kept growing from ${more} to ${relieved} bytes`)
    const inspection = await inspect()
    problems.push(...(await inspection.integrity()))
    await inspection.close()
    return problems
  } finally {
    await close()
    await rm(directory, { recursive: true })
  }
}

/** SQLite checkpoints a log of 1,000 pages. */
const CHECKPOINTED_BYTES = 1_000 * 4_120
