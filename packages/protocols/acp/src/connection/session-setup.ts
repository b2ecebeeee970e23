import type { SessionView } from '@polylogue/engine'
import type { GivenMcpServer } from '../deps.ts'
import { FINGERPRINT_LABEL } from '../labels.ts'
import { fingerprintOf, parseMcpServers } from '../mcp-servers.ts'
import type { Params } from '../parse-params.ts'
import { invalidParams } from '../rpc/rpc-error.ts'
import { checkAdditional, checkDirectory, resolved } from './check-directory.ts'
import type { Connection } from './connection.ts'

/** Where a session works, and with which MCP servers: the common part of `session/new`, `load`, `resume` and `fork`. */
export interface SessionSetup {
  readonly cwd: string
  readonly additional: readonly string[]
  readonly servers: readonly GivenMcpServer[]
}

export async function checkSetup(
  { options }: Connection,
  given: Params,
  { isAllowed } = { isAllowed: false },
): Promise<SessionSetup> {
  const { directories } = options.rights
  const cwd = await checkDirectory(given['cwd'], isAllowed ? undefined : directories)
  const servers = parseMcpServers(given['mcpServers'], options)
  const { additionalDirectories } = given
  if (options.profile === 'seed' && Array.isArray(additionalDirectories) && additionalDirectories.length > 0) {
    throw invalidParams('additionalDirectories', 'is not supported')
  }
  return { cwd, additional: await checkAdditional(additionalDirectories, directories, cwd), servers }
}

/** The setup for a session that exists. Its working directory cannot change. */
export async function checkSetupOf(connection: Connection, view: SessionView, given: Params): Promise<SessionSetup> {
  const isOwn = await prepareOwnDirectory(connection, view, given['cwd'])
  const setup = await checkSetup(connection, given, { isAllowed: isOwn })
  const stored = connection.deps.workspaces.locate(view).cwd
  if (stored !== setup.cwd) throw invalidParams('cwd', await explainOther(stored, setup.cwd))
  return setup
}

/** The roots that a session has after it was opened with this setup. */
export function directoriesOf({ directories }: SessionView, { cwd, additional }: SessionSetup): readonly string[] {
  if (directories.length > 0) return [cwd, ...additional]
  if (additional.length === 0) return []
  throw invalidParams('additionalDirectories', 'is not possible: this session works in its own directory')
}

/** The list of the request replaces the recorded one, even if it is empty. */
export async function changeRoots(
  { deps, options }: Connection,
  view: SessionView,
  setup: SessionSetup,
): Promise<void> {
  if (options.profile === 'seed') return
  const { sessionId } = view
  const directories = directoriesOf(view, setup)
  if (directories.join('\0') === view.directories.join('\0')) return
  await deps.engine.execute({ type: 'configure-session', userId: options.userId, sessionId, changes: { directories } })
}

/** The recorded path is a real path. If it now leads through a link, it may be another directory. */
async function explainOther(stored: string, given: string): Promise<string> {
  if ((await resolved(stored)) !== given) return 'is not the directory of this session'
  return `is not the directory of this session, which is recorded as ${stored}, a link now: fork the session to work in ${given}`
}

/** The setup for a fork. Its client names the real path if the directory of the parent was recorded under a link. */
export async function checkSetupOfFork(
  connection: Connection,
  parent: SessionView,
  given: Params,
): Promise<SessionSetup> {
  const stored = connection.deps.workspaces.locate(parent).cwd
  const isMoved = parent.directories.length > 0 && given['cwd'] !== stored && given['cwd'] === (await resolved(stored))
  return isMoved ? checkSetup(connection, given) : checkSetupOf(connection, parent, given)
}

export async function openRoots({ deps }: Connection, view: SessionView): Promise<void> {
  const problem = await deps.workspaces.open(view)
  if (problem !== undefined) throw invalidParams('cwd', `cannot be used: ${problem}`)
}

/** A session of another door has its own directory, which is created when it is first needed. */
async function prepareOwnDirectory({ deps }: Connection, view: SessionView, cwd: unknown): Promise<boolean> {
  if (view.directories.length > 0 || deps.workspaces.locate(view).cwd !== cwd) return false
  await deps.workspaces.prepare(view)
  return true
}

/** Logs when the MCP servers differ from those of the last time. The session stores only a hash of them. */
export async function noteServers(
  { deps, options }: Connection,
  { sessionId, labels }: SessionView,
  servers: readonly GivenMcpServer[],
): Promise<boolean> {
  const fingerprint = fingerprintOf(servers, deps.digest)
  const before = labels[FINGERPRINT_LABEL] ?? fingerprintOf([], deps.digest)
  if (fingerprint === before) return false
  deps.log({ level: 'info', message: 'a session is opened with other MCP servers than before', sessionId })
  await deps.engine.execute({
    type: 'configure-session',
    userId: options.userId,
    sessionId,
    changes: { labels: { [FINGERPRINT_LABEL]: fingerprint } },
  })
  return true
}
