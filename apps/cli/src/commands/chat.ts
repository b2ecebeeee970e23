import { ReadStream } from 'node:tty'
import { createChat } from '../chat/chat.ts'
import { createChatScreen } from '../chat/chat-screen.ts'
import { pickSession } from '../chat/choose.ts'
import { CommandFailure } from '../command-failure.ts'
import { ExitCode } from '../exit-code.ts'
import type { OwnerFlags } from '../owner-flags.ts'
import { isScripted, openSession, type SessionFlags } from '../session-opening.ts'
import { createTerminal } from '../terminal.ts'
import { withOwner } from '../with-owner.ts'

export interface ChatFlags extends OwnerFlags, Omit<SessionFlags, 'session'> {
  /** `true`: the user chooses one from a list. */
  readonly session?: string | true
}

export async function chat({ session: wanted, ...given }: ChatFlags): Promise<number> {
  const terminal = createTerminal(process)
  if (!(process.stdin instanceof ReadStream) || !terminal.stdout.isTerminal || !terminal.stderr.isTerminal) {
    throw new CommandFailure('A chat needs a terminal. Elsewhere use: polylogue run "<prompt>"', ExitCode.usage)
  }
  const flags = { ...given, scripted: given.scripted === true || isScripted(given.agent) }
  return await withOwner({ ...flags, mayLog: true }, async (owner) => {
    const screen = createChatScreen(terminal, process.stdout)
    const session = wanted === true ? await pickSession(owner, screen.terminal) : wanted
    const opened = await openSession(owner, { ...flags, ...(session !== undefined && { session }) })
    return await createChat({ owner, screen, flags }).talk(opened)
  })
}
