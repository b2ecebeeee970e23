import { text as readAll } from 'node:stream/consumers'
import { chooseAgent, streamModeOf } from '../agents.ts'
import { beforeLeaving } from '../closed-output.ts'
import { CommandFailure } from '../command-failure.ts'
import { converse, type Conversation, type Opening } from '../conversation.ts'
import { ExitCode } from '../exit-code.ts'
import { listenForInterruption } from '../interruption.ts'
import type { OwnerFlags } from '../owner-flags.ts'
import { requestJson, requestText, type OwnerLink } from '../owner-link.ts'
import { readSessionRecord } from '../read-session-record.ts'
import { createTerminal } from '../terminal.ts'
import { createJsonPrinter, createTextPrinter } from '../turn-printer.ts'
import { attachTurn, runTurn, sessionPath } from '../turn-stream.ts'
import { readWaitingCalls } from '../waiting-calls.ts'
import { createdSession, sessionTools, type Agent, type SessionRecord } from '../wire.ts'
import { withOwner } from '../with-owner.ts'

export interface RunFlags extends OwnerFlags {
  readonly agent?: string
  readonly session?: string
  readonly preset?: string
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
    const { sessionId, agent, clientTools, record } = await openSession(link, flags)
    const conversation: Conversation = {
      link,
      sessionId,
      clientTools,
      mode: streamModeOf(agent),
      terminal,
      printer: flags.json ? createJsonPrinter(terminal.stdout, sessionId) : createTextPrinter(terminal),
      interruption,
      canAsk: terminal.canAsk && !flags.json,
      takeUpWith: formatTakeUp(sessionId, { ...flags, scripted }),
    }
    // A server goes on without us; here nobody would be left to go on with the turn.
    using _leaving = beforeLeaving(() => (link.isEmbedded ? interruption.request() : process.exit(ExitCode.failed)))
    const opening = text === undefined ? await resume(conversation, record) : say(conversation, text)
    const exitCode = opening ? await converse(conversation, opening) : ExitCode.done
    if (!flags.json) terminal.stderr.write(`${terminal.stderr.dim(`session ${sessionId}`)}\n`)
    return exitCode
  })
}

function isScripted(agent: string | undefined): boolean {
  return agent === 'scripted' || agent === 'scripted-min'
}

/** With every flag that says where the session and its agent are. */
function formatTakeUp(sessionId: string, { data, database, config, scripted }: OwnerFlags): string {
  const flags = Object.entries({ session: sessionId, data, database, config })
    .filter(([, value]) => value !== undefined)
    .map(([name, value = '']) => ` --${name} ${quote(value)}`)
  return `polylogue run${flags.join('')}${scripted === true ? ' --scripted' : ''}`
}

function quote(word: string): string {
  return /^[\w./:@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

interface OpenedSession {
  readonly sessionId: string
  readonly agent: Agent
  readonly clientTools: readonly string[]
  /** Of a session that was there before. */
  readonly record?: SessionRecord
}

async function openSession(link: OwnerLink, flags: RunFlags): Promise<OpenedSession> {
  if (flags.session === undefined) {
    const agent = await chooseAgent(link, flags.agent)
    // Not over AAP, where a session has only the tools that its client lists: here the preset decides about all of them.
    const body = { agent: agent.name, ...(flags.preset !== undefined && { preset: flags.preset }) }
    const request = { method: 'POST', path: '/api/polylogue/sessions', body } as const
    const { sessionId } = await requestJson(link, createdSession, request)
    return { sessionId, agent, clientTools: [] }
  }
  const record = await readSessionRecord(link, flags.session)
  const { agent: name, sessionId } = record.session
  if (flags.agent !== undefined && flags.agent !== name) {
    throw new CommandFailure(`The session belongs to the agent "${name}", not "${flags.agent}".`, ExitCode.usage)
  }
  if (flags.preset !== undefined) await changePreset(link, sessionId, flags.preset)
  const { tools } = await requestJson(link, sessionTools, { method: 'GET', path: sessionPath(sessionId) })
  return { sessionId, agent: await chooseAgent(link, name), clientTools: tools.map((tool) => tool.name), record }
}

async function changePreset(link: OwnerLink, sessionId: string, preset: string): Promise<void> {
  const path = `/api/polylogue/sessions/${encodeURIComponent(sessionId)}`
  await requestText(link, { method: 'PATCH', path, body: { preset } })
}

function say({ link, sessionId, mode }: Conversation, text: string): Opening {
  return { events: runTurn(link, { sessionId, mode, body: { messages: [{ role: 'user', content: text }] } }) }
}

/** Without a prompt: whatever the session is at. `undefined`: it rests, there is nothing to do. */
async function resume(
  { link, sessionId, terminal }: Conversation,
  record: SessionRecord | undefined,
): Promise<Opening | undefined> {
  if (record?.session.status === 'running') return { events: attachTurn(link, sessionId, String(record.events)) }
  if (record?.session.status === 'waiting') return { waitingFor: await readWaitingCalls(link, sessionId) }
  terminal.stderr.write('Nothing is running in this session and nothing waits for an answer.\n')
  return undefined
}
