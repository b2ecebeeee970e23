import { AapError, TurnCutOff, type OfferedAgent, type TurnUpdate } from '@polylogue/aap/client'
import { ConsoleRefusal, type SessionRecord } from '@polylogue/console/client'
import { beforeLeaving } from '../closed-output.ts'
import { CommandFailure } from '../command-failure.ts'
import { converse, type Conversation, type Opening } from '../conversation.ts'
import { ExitCode } from '../exit-code.ts'
import { listenForInterruption } from '../interruption.ts'
import type { OwnerFlags } from '../owner-flags.ts'
import {
  formatContinuation,
  openSession,
  resume,
  say,
  type OpenedSession,
  type SessionFlags,
} from '../session-opening.ts'
import { toTerminalLine } from '../terminal-text.ts'
import type { Owner } from '../with-owner.ts'
import { createPrompt } from './ask-prompt.ts'
import { CHAT_HELP, parseChatInput, type ChatCommandName } from './chat-command.ts'
import { createChatPrinter } from './chat-printer.ts'
import type { ChatScreen } from './chat-screen.ts'
import { compactSession } from './compact-session.ts'
import { changeMode, changeModel, changeThinking, pickSession } from './choose.ts'
import { learnDiffs } from './learn-diffs.ts'
import { formatHeader, readSessionModel } from './session-model.ts'
import { formatSessionUsage } from './session-usage.ts'
import { showRecent } from './show-recent.ts'
import { watchKeys } from './watch-keys.ts'

export interface ChatDeps {
  readonly owner: Owner
  readonly screen: ChatScreen
  readonly flags: OwnerFlags & Omit<SessionFlags, 'session'>
}

export interface Chat {
  /** Talks until the user leaves. Returns the exit code. */
  talk(opened: OpenedSession): Promise<number>
}

export function createChat({ owner, screen, flags }: ChatDeps): Chat {
  const { terminal } = screen
  const { stderr } = terminal
  const ask = createPrompt()
  let sessionId = ''
  let agent: OfferedAgent
  let printer = createChatPrinter(screen)
  /** Typed while a turn ran. */
  let typedAhead = ''

  const tell = (sentence: string): void => stderr.write(`${stderr.dim(toTerminalLine(sentence))}\n`)
  const readRecord = (): Promise<SessionRecord> =>
    owner.console.readSession({ id: sessionId, query: { messages: '0' } })

  const learn = (update: TurnUpdate | undefined): Promise<void> => learnDiffs(update, { owner, sessionId, printer })

  /** Shows a turn to its end. The first Ctrl-C cancels it, the second one leaves. */
  async function playTurn(open: (conversation: Conversation) => Promise<Opening | undefined>): Promise<void> {
    using interruption = listenForInterruption()
    using _leaving = beforeLeaving(() => (owner.isEmbedded ? interruption.request() : process.exit(ExitCode.failed)))
    const conversation: Conversation = {
      owner,
      sessionId,
      stream: agent.stream,
      terminal,
      printer,
      interruption,
      canAsk: terminal.canAsk,
      continueWith: formatContinuation('chat', sessionId, flags),
      offersScopes: true,
      beforePrint: ({ update }) => learn(update),
      onAsk(toolCallId) {
        // It was no answer to this question, and should not become a prompt after it.
        typedAhead = ''
        printer.markRead(toolCallId)
      },
      watchKeys: () =>
        watchKeys(process.stdin, {
          interrupt: () => interruption.request(),
          cancel() {
            if (!interruption.isRequested) interruption.request()
          },
          typed: (text) => (typedAhead = text),
        }),
    }
    const opening = await open(conversation)
    if (opening) await converse(conversation, opening)
  }

  async function enter(opened: OpenedSession): Promise<void> {
    ;({ sessionId, agent } = opened)
    printer = createChatPrinter(screen)
    const { session } = await readRecord()
    const model = await readSessionModel(owner, session)
    tell(formatHeader(session, model))
    if (model.note !== undefined) tell(model.note)
    tell(`Session ${sessionId}`)
    const { record } = opened
    if (record === undefined) return
    const whole = await owner.console.readSession({ id: sessionId })
    await showRecent(whole.messages, { screen, printer, beforePrint: learn })
    if (record.session.status !== 'idle') await playTurn((conversation) => resume(conversation, record))
  }

  async function sendText(text: string): Promise<void> {
    const record = await readRecord()
    if (record.session.status === 'idle') {
      await playTurn((conversation) => Promise.resolve(say(conversation, text, record.events)))
      return
    }
    const state = record.session.status === 'running' ? 'A turn is running' : 'The session waits for an answer'
    tell(`${state}. Your message was not sent: send it again afterwards.`)
    await playTurn((conversation) => resume(conversation, record))
  }

  async function runCommand(name: Exclude<ChatCommandName, 'quit'>, rest: string): Promise<void> {
    switch (name) {
      case 'help':
        stderr.write(CHAT_HELP)
        await showSessionCommands()
        break
      case 'new':
        await enter(await openSession(owner, { ...flags, agent: agent.name }))
        break
      case 'sessions': {
        const session = await pickSession(owner, terminal)
        if (session !== undefined) await enter(await openSession(owner, { session }))
        break
      }
      case 'model':
        tell(await changeModel(owner, terminal, { sessionId, name: rest }))
        break
      case 'thinking':
        tell(await changeThinking(owner, terminal, { sessionId, name: rest }))
        break
      case 'mode':
        tell(await changeMode(owner, terminal, { sessionId, name: rest }))
        break
      case 'usage':
        tell(formatSessionUsage(await owner.console.readUsage({ query: { session: sessionId } })))
        break
      case 'compact':
        await compact()
        break
    }
  }

  /** Ctrl-C ends the wait. The summary itself continues. */
  async function compact(): Promise<void> {
    using interruption = listenForInterruption()
    const waiting = new AbortController()
    interruption.stopBy(() => waiting.abort())
    tell(await compactSession(owner, sessionId, waiting.signal))
  }

  async function showSessionCommands(): Promise<void> {
    const { commands } = await owner.console.listCommands({ id: sessionId })
    for (const { name, description, hint } of commands) {
      const usage = hint === undefined ? name : `${name} [${hint}]`
      stderr.write(`${toTerminalLine(`/${usage}: ${description}`)}\n`)
    }
  }

  async function runSessionCommand({ name, rest }: { readonly name: string; readonly rest: string }): Promise<void> {
    const { commands } = await owner.console.listCommands({ id: sessionId })
    if (!commands.some((command) => command.name === name)) {
      tell(`There is no command /${name}. See /help.`)
      return
    }
    const { type, text } = await owner.console.runCommand({ id: sessionId, body: { name, rest } })
    if (type === 'prompt') return sendText(text)
    printer.print({ json: {}, update: { type: 'text', text, isWhole: true } })
    printer.finish()
  }

  /** A server that was restarted is found again. */
  async function ensureConnected(): Promise<void> {
    try {
      await owner.console.readStatus()
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error
      tell('The server went away. Connecting again…')
      await owner.reconnect()
    }
  }

  /** A refusal is told, and the chat goes on. */
  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!isTellable(error)) throw error
      tell(error.message)
    }
  }

  async function listen(): Promise<number> {
    for (let isLeaving = false; ;) {
      const answer = await ask(typedAhead)
      typedAhead = ''
      if (answer === undefined || (answer === 'cancel' && isLeaving)) {
        stderr.write('\n')
        return ExitCode.done
      }
      isLeaving = answer === 'cancel'
      if (answer === 'cancel') {
        stderr.write('\nPress Ctrl-C again to leave.\n')
        continue
      }
      const input = parseChatInput(answer.text)
      if (input.type === 'nothing') continue
      if (input.type === 'command' && input.name === 'quit') return ExitCode.done
      await attempt(async () => {
        await ensureConnected()
        if (input.type === 'say') await sendText(input.text)
        else if (input.type === 'other') await runSessionCommand(input)
        else if (input.name !== 'quit') await runCommand(input.name, input.rest)
      })
    }
  }

  return {
    async talk(opened) {
      tell('/help shows the commands.')
      await attempt(() => enter(opened))
      const exitCode = await listen()
      stderr.write(`${stderr.dim('Continue with:')}\n  ${formatContinuation('chat', sessionId, flags)}\n`)
      return exitCode
    },
  }
}

function isTellable(error: unknown): error is Error {
  return (
    error instanceof ConsoleRefusal ||
    error instanceof AapError ||
    error instanceof TurnCutOff ||
    error instanceof CommandFailure
  )
}
