import { text as readAll } from 'node:stream/consumers'
import { chooseAgent, streamModeOf } from '../agents.ts'
import { CommandFailure } from '../command-failure.ts'
import { converse, type Conversation, type Opening } from '../conversation.ts'
import { ExitCode } from '../exit-code.ts'
import { listenForInterruption } from '../interruption.ts'
import type { OwnerFlags } from '../owner-flags.ts'
import { requestJson, type OwnerLink } from '../owner-link.ts'
import { readSessionRecord } from '../read-session-record.ts'
import { createTerminal } from '../terminal.ts'
import { createJsonPrinter, createTextPrinter } from '../turn-printer.ts'
import { attachTurn, runTurn } from '../turn-stream.ts'
import { findWaitingCalls } from '../waiting-calls.ts'
import { createdSession, type Agent, type SessionRecord } from '../wire.ts'
import { withOwner } from '../with-owner.ts'

export interface RunFlags extends OwnerFlags {
  readonly agent?: string
  readonly session?: string
  readonly json?: boolean
}

export async function run(prompt: string | undefined, flags: RunFlags): Promise<number> {
  if (prompt === undefined && flags.session === undefined) {
    throw new CommandFailure('Say what the agent shall do: polylogue run "<prompt>"', ExitCode.usage)
  }
  const text = prompt === '-' ? await readAll(process.stdin) : prompt
  if (text?.trim() === '') throw new CommandFailure('The prompt is empty.', ExitCode.usage)

  using interruption = listenForInterruption()
  const scripted = flags.scripted === true || isScripted(flags.agent)
  return await withOwner({ ...flags, scripted }, async (link) => {
    const terminal = createTerminal(process)
    const { sessionId, agent, record } = await openSession(link, flags)
    const conversation: Conversation = {
      link,
      sessionId,
      agent,
      mode: streamModeOf(agent),
      terminal,
      printer: flags.json ? createJsonPrinter(terminal.stdout, sessionId) : createTextPrinter(terminal),
      interruption,
      canAsk: terminal.canAsk && !flags.json,
      takeUpWith: `polylogue run --session ${sessionId}${flags.data === undefined ? '' : ` --data ${flags.data}`}`,
    }
    const opening = text === undefined ? resume(conversation, record) : say(conversation, text)
    const exitCode = opening ? await converse(conversation, opening) : ExitCode.done
    if (!flags.json) terminal.stderr.write(`${terminal.stderr.dim(`session ${sessionId}`)}\n`)
    return exitCode
  })
}

function isScripted(agent: string | undefined): boolean {
  return agent === 'scripted' || agent === 'scripted-min'
}

interface OpenedSession {
  readonly sessionId: string
  readonly agent: Agent
  /** Of a session that was there before. */
  readonly record?: SessionRecord
}

async function openSession(link: OwnerLink, flags: RunFlags): Promise<OpenedSession> {
  if (flags.session === undefined) {
    const agent = await chooseAgent(link, flags.agent)
    // All of its tools, none of them trusted: a human decides about every call, or nobody does.
    const tools = agent.tools.map(({ name }) => ({ name }))
    const body = { agent: { name: agent.name, tools } }
    const { sessionId } = await requestJson(link, createdSession, { method: 'POST', path: '/aap/v3/sessions', body })
    return { sessionId, agent }
  }
  const record = await readSessionRecord(link, flags.session)
  const { agent: name, sessionId } = record.session
  if (flags.agent !== undefined && flags.agent !== name) {
    throw new CommandFailure(`The session belongs to the agent "${name}", not "${flags.agent}".`, ExitCode.usage)
  }
  return { sessionId, agent: await chooseAgent(link, name), record }
}

function say({ link, sessionId, mode }: Conversation, text: string): Opening {
  return { events: runTurn(link, { sessionId, mode, body: { messages: [{ role: 'user', content: text }] } }) }
}

/** Without a prompt: whatever the session is at. `undefined`: it rests, there is nothing to do. */
function resume({ link, sessionId, terminal }: Conversation, record: SessionRecord | undefined): Opening | undefined {
  if (record?.session.status === 'running') return { events: attachTurn(link, sessionId, String(record.events)) }
  if (record?.session.status === 'waiting') return { waitingFor: findWaitingCalls(record) }
  terminal.stderr.write('Nothing is running in this session and nothing waits for an answer.\n')
  return undefined
}
