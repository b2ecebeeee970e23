import { openSqliteStores } from '@polylogue/store-sqlite'
import { runProgram } from '../run-program.ts'
import { systemClock } from '../system-clock.ts'
import { checkStored, readSaid } from './check-stored.ts'
import { playSession } from './play-session.ts'

const SESSIONS = 2
const TURNS = 16
const SIZE = 200
/** The program tries three more sessions after a fault. */
const PLAYED = { sessions: SESSIONS + 3, turns: 2 * TURNS, size: SIZE }
const EVENTS_OF_FIRST_TURN = 9

export interface PlayedThrough {
  /** Whether the store noticed the fault. Some faults have no effect, or only when a file is closed. */
  readonly hasFailed: boolean
  /** The violations. */
  readonly problems: readonly string[]
}

/** Runs a store under a command that makes its disk fail, then opens the remaining files without faults. */
export async function playThroughErrors(file: string, through: readonly string[]): Promise<PlayedThrough> {
  const program = runProgram('play-through-errors', [file, ...[SESSIONS, TURNS, SIZE].map(String)], { through })
  const lines = await program.remainingLines()
  return {
    hasFailed: lines.some((line) => /^(?:fault|refused) /.test(line)),
    problems: [...problemsIn(lines, program.complaints), ...(await problemsAfterwards(file, lines))],
  }
}

/** The output of the program while its disk failed. */
export function problemsIn(lines: readonly string[], complaints: string): readonly string[] {
  const problems: string[] = []
  if (lines.at(-1) !== 'end') problems.push(`the run ended early: ${complaints}`)
  const broke = lines.findIndex((line) => line.startsWith('fault broken'))
  const later = broke === -1 ? [] : lines.slice(broke + 1)
  for (const line of later) if (line.startsWith('ack ')) problems.push(`${line} after the disk failed`)
  for (const line of lines) {
    if (/^(?:fault|refused) /.test(line) && !CLEAR.test(line)) problems.push(`the message is not helpful: ${line}`)
  }
  return problems
}

/** A sentence says what is wrong. */
const CLEAR =
  /disk I\/O error|i\/o error|disk is full|readonly database|unable to open database file|cannot be created|restore a backup/

/** A new process on a working disk. */
async function problemsAfterwards(file: string, lines: readonly string[]): Promise<readonly string[]> {
  try {
    const { events, close } = await openSqliteStores({ file, clock: systemClock })
    try {
      const problems = await checkStored(events, readSaid(lines), PLAYED)
      let seq = 0
      const stored = (_session: number, lastSeq: number): void => void (seq = lastSeq)
      await playSession(events, { session: 99, turns: 1, size: 1, stored })
      return seq === EVENTS_OF_FIRST_TURN ? problems : [...problems, 'it does not take new turns']
    } finally {
      await close()
    }
  } catch (error) {
    return [`it cannot be used afterwards: ${String(error)}`]
  }
}
