import { text as readAll } from 'node:stream/consumers'
import { beforeLeaving } from '../closed-output.ts'
import { CommandFailure } from '../command-failure.ts'
import { converse, type Conversation } from '../conversation.ts'
import { ExitCode } from '../exit-code.ts'
import { listenForInterruption } from '../interruption.ts'
import type { OwnerFlags } from '../owner-flags.ts'
import { formatContinuation, isScripted, openSession, resume, say, type SessionFlags } from '../session-opening.ts'
import { createTerminal } from '../terminal.ts'
import { createJsonPrinter, createTextPrinter } from '../turn-printer.ts'
import { withOwner } from '../with-owner.ts'

export interface RunFlags extends OwnerFlags, SessionFlags {
  readonly json?: boolean
}

export async function run(prompt: string | undefined, flags: RunFlags): Promise<number> {
  if (prompt === undefined && flags.session === undefined) {
    throw new CommandFailure(
      'Missing prompt: polylogue run "<prompt>", or - to read it from standard input',
      ExitCode.usage,
    )
  }
  const text = prompt === '-' ? await readAll(process.stdin) : prompt
  if (text?.trim() === '') throw new CommandFailure('The prompt is empty.', ExitCode.usage)

  using interruption = listenForInterruption()
  const scripted = flags.scripted === true || isScripted(flags.agent)
  return await withOwner({ ...flags, scripted, mayLog: true }, async (owner) => {
    const terminal = createTerminal(process)
    const { sessionId, agent, record } = await openSession(owner, flags)
    const conversation: Conversation = {
      owner,
      sessionId,
      stream: agent.stream,
      terminal,
      printer: flags.json ? createJsonPrinter(terminal.stdout, sessionId) : createTextPrinter(terminal),
      interruption,
      canAsk: terminal.canAsk && !flags.json,
      continueWith: formatContinuation('run', sessionId, { ...flags, scripted }),
    }
    // A running server continues the turn without us. An embedded one ends with this process, so it stops the turn first.
    using _leaving = beforeLeaving(() => (owner.isEmbedded ? interruption.request() : process.exit(ExitCode.failed)))
    const opening =
      text === undefined ? await resume(conversation, record) : say(conversation, text, record?.events ?? 0)
    const exitCode = opening ? await converse(conversation, opening) : ExitCode.done
    if (!flags.json) terminal.stderr.write(`${terminal.stderr.dim(`session ${sessionId}`)}\n`)
    return exitCode
  })
}
