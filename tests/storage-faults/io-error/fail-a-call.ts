import { openSqliteStores } from '@polylogue/store-sqlite'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProgram } from '../run-program.ts'
import { type Injection, databaseFiles, failCalls, wasInjected } from '../strace-flags.ts'
import { systemClock } from '../system-clock.ts'
import { checkStored, readSaid } from '../workload/check-stored.ts'
import { playSession } from '../workload/play-session.ts'

const SESSIONS = 2
const TURNS = 16
const SIZE = 200
/** The program tries three more sessions after a fault. */
const PLAYED = { sessions: SESSIONS + 3, turns: 2 * TURNS, size: SIZE }

export interface FailedCall {
  /** `false` when the program made fewer calls of this kind. */
  readonly wasInjected: boolean
  readonly problems: readonly string[]
}

/** Lets one call of a store fail with EIO, then opens what is left with nothing failing. */
export async function failCall(injection: Injection): Promise<FailedCall> {
  const directory = await mkdtemp(join(tmpdir(), 'polylogue-eio-'))
  const file = join(directory, 'polylogue.db')
  const trace = join(directory, 'trace')
  try {
    const through = failCalls(injection, databaseFiles(file), trace)
    const program = runProgram('play-through-errors', [file, ...[SESSIONS, TURNS, SIZE].map(String)], { through })
    const lines = await program.remainingLines()
    return {
      wasInjected: wasInjected(await readFile(trace, 'utf8')),
      problems: [...problemsIn(lines, program.complaints), ...(await problemsAfterwards(file, lines))],
    }
  } finally {
    await rm(directory, { recursive: true })
  }
}

/** What the program said while it failed. */
export function problemsIn(lines: readonly string[], complaints: string): readonly string[] {
  const problems: string[] = []
  if (lines.at(-1) !== 'end') problems.push(`it ended in the middle: ${complaints}`)
  const broke = lines.findIndex((line) => line.startsWith('fault broken'))
  const later = broke === -1 ? [] : lines.slice(broke + 1)
  for (const line of later) if (line.startsWith('ack ')) problems.push(`${line} after the disk had failed`)
  for (const line of lines) {
    if (/^(?:fault|refused) /.test(line) && !CLEAR.test(line)) problems.push(`this helps nobody: ${line}`)
  }
  return problems
}

/** A sentence says what is wrong and what to do. */
const CLEAR =
  /disk I\/O error|i\/o error|readonly database|unable to open database file|cannot be created|restore a backup/

/** A new process, a disk that works again. */
async function problemsAfterwards(file: string, lines: readonly string[]): Promise<readonly string[]> {
  try {
    const { events, close } = await openSqliteStores({ file, clock: systemClock })
    try {
      const problems = await checkStored(events, readSaid(lines), PLAYED)
      let seq = 0
      const stored = (_session: number, lastSeq: number): void => void (seq = lastSeq)
      await playSession(events, { session: 99, turns: 1, size: 1, stored })
      return seq === 9 ? problems : [...problems, 'it does not take new turns']
    } finally {
      await close()
    }
  } catch (error) {
    return [`it cannot be used afterwards: ${String(error)}`]
  }
}
