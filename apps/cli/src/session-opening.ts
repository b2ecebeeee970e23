// How a verb that talks to an agent opens its session and its first turn.
import { realpathSync, statSync } from 'node:fs'
import type { OfferedAgent } from '@polylogue/aap/client'
import type { PRESETS, SessionRecord } from '@polylogue/console/client'
import { chooseAgent } from './agents.ts'
import { CommandFailure } from './command-failure.ts'
import { readWaiting, type Conversation, type Opening } from './conversation.ts'
import { ExitCode } from './exit-code.ts'
import { readFolderNotices, withFolderNotices } from './folder-notices.ts'
import type { OwnerFlags } from './owner-flags.ts'
import { toTerminalLine } from './terminal-text.ts'
import { attachTurn, runTurn } from './turns.ts'
import type { Owner } from './with-owner.ts'

export interface SessionFlags {
  readonly agent?: string
  readonly session?: string
  readonly preset?: (typeof PRESETS)[number]
  /** Where a new session works. */
  readonly directory?: string
}

export function isScripted(agent: string | undefined): boolean {
  return agent === 'scripted' || agent === 'scripted-min'
}

/** The command line that continues the session, with the flags that say where the session and its agent are. */
export function formatContinuation(
  verb: string,
  sessionId: string,
  { data, database, config, scripted }: OwnerFlags,
): string {
  const flags = Object.entries({ session: sessionId, data, database, config })
    .filter(([, value]) => value !== undefined)
    .map(([name, value = '']) => ` --${name} ${quote(value)}`)
  return `polylogue ${verb}${flags.join('')}${scripted === true ? ' --scripted' : ''}`
}

function quote(word: string): string {
  return /^[\w./:@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

export interface OpenedSession {
  readonly sessionId: string
  readonly agent: OfferedAgent
  /** For a session that already existed. */
  readonly record?: SessionRecord
}

/** The built-in coding agent works in the current folder, unless it is the demo. Other agents have a place of their own. */
async function findDirectory(
  { console }: Owner,
  { name }: OfferedAgent,
  given: string | undefined,
): Promise<string | undefined> {
  if (given !== undefined) {
    if (!statSync(given, { throwIfNoEntry: false })?.isDirectory())
      throw new CommandFailure(`There is no directory "${toTerminalLine(given)}".`, ExitCode.usage)
    return realpathSync(given)
  }
  const { worksInPlace = [] } = await console.readStatus()
  return worksInPlace.includes(name) ? realpathSync(process.cwd()) : undefined
}

export async function openSession(
  owner: Owner,
  { session, agent: name, preset, directory: given }: SessionFlags,
): Promise<OpenedSession> {
  if (session === undefined) {
    const agent = await chooseAgent(owner, name)
    // Not over AAP, where a session has only the tools that its client lists. Here the preset decides about all tools.
    const directory = await findDirectory(owner, agent, given)
    const body = { agent: agent.name, ...(preset !== undefined && { preset }), ...(directory && { directory }) }
    return { sessionId: (await owner.console.createSession({ body })).sessionId, agent }
  }
  const record = await owner.console.readSession({ id: session, query: { messages: '0' } })
  const { agent: itsAgent, sessionId } = record.session
  if (name !== undefined && name !== itsAgent) {
    throw new CommandFailure(`The session belongs to the agent "${itsAgent}", not "${name}".`, ExitCode.usage)
  }
  if (preset !== undefined) await owner.console.changeSession({ id: sessionId, body: { preset } })
  return { sessionId, agent: await chooseAgent(owner, itsAgent), record }
}

export function say(
  { owner, sessionId, stream, terminal: { stderr } }: Conversation,
  text: string,
  after: number,
): Opening {
  const updates = runTurn(owner.aap, { sessionId, stream, say: text })
  const tell = (notice: string): void => stderr.write(`${toTerminalLine(notice)}\n`)
  return { updates: withFolderNotices(updates, () => readFolderNotices(owner, sessionId, after), tell) }
}

/** Without a prompt: continues what the session is doing. `undefined`: there is nothing to do. */
export async function resume(
  conversation: Conversation,
  record: SessionRecord | undefined,
): Promise<Opening | undefined> {
  const { owner, sessionId, terminal } = conversation
  switch (record?.session.status) {
    case 'running':
      return { updates: attachTurn(owner.aap, sessionId, String(record.events)) }
    case 'waiting':
      return { waitingFor: await readWaiting(conversation) }
    default:
      terminal.stderr.write('Nothing runs in this session, and nothing waits for an answer.\n')
      return undefined
  }
}
