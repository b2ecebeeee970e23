import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Edit } from '../mutants/mutant.ts'
import { playRandomSession, type RandomSession } from './random-session.ts'
import { needsSecondStep } from './replay-sample.ts'
import { toStored } from './stored-session.ts'

const PROGRAM = fileURLToPath(new URL('replay-mutated.ts', import.meta.url))

/** A change of the loop's source, and the sessions that it affects. */
export interface LoopChange {
  readonly what: string
  readonly edit: Edit
  isAffected(session: RandomSession): boolean
}

const wasDenied = ({ events }: RandomSession): boolean =>
  events.some(({ event }) => event.type === 'approval.resolved' && !event.granted)

export const LOOP_CHANGES: readonly LoopChange[] = [
  {
    what: 'stops after one step',
    edit: {
      file: 'packages/engine/src/turn/next-move.ts',
      find: 'loop.answeredSteps >= limits.maxSteps',
      replacement: 'loop.answeredSteps >= 1',
    },
    isAffected: needsSecondStep,
  },
  {
    what: 'words a denial differently',
    edit: {
      file: 'packages/engine/src/session/decide-answers.ts',
      find: "`Tool call denied: ${reason}` : 'Tool call denied'",
      replacement: "`Refused: ${reason}` : 'Refused'",
    },
    isAffected: wasDenied,
  },
]

/** The sessions of the engine as it is, and the names of those that the changed engine would play differently. */
export async function replayChanged(count: number, { edit }: LoopChange) {
  const sessions: RandomSession[] = []
  for (let at = 0; at < count; at += 1) sessions.push(await playRandomSession(`session ${at}`))
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(edit)], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify(await Promise.all(sessions.map(toStored))))
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return { sessions, named: JSON.parse(output) as readonly string[] }
}
