import type { ToolInvocation, ToolOutput } from '@polylogue/engine'
import { describeLook } from '../background/background-tool.ts'
import { bashInput } from './bash-input.ts'
import type { BashParts } from './command-place.ts'
import { runBash } from './run-bash.ts'

/** Most invalid commands end within this time, so the result can report the error. */
const FIRST_LOOK_MS = 1_000

/** Starts the command and returns while it runs. The command ends with its session at the latest. */
export async function runInBackground(invocation: ToolInvocation, parts: BashParts): Promise<ToolOutput> {
  const { sessionId, userId, signal } = invocation
  const { processes } = parts.options
  if (processes === undefined) throw new Error('background: no command can run in the background here')
  signal.throwIfAborted()
  const { command } = bashInput.parse(invocation.input)
  const started = processes.start({ sessionId, userId }, command, (stop, print) =>
    runBash({ ...invocation, signal: stop, progress: print }, parts),
  )
  await started.wait({ for: 'end', ms: FIRST_LOOK_MS, signal })
  if (signal.aborted) await started.stop()
  return describeLook(started)
}
