import type { LoadSessionResponse, NewSessionResponse } from '@agentclientprotocol/sdk'
import type { SessionId, SessionView } from '@polylogue/engine'
import type { GivenMcpServer } from '../deps.ts'
import { invalidRequest } from '../errors.ts'
import { FINGERPRINT_LABEL } from '../labels.ts'
import { fingerprintOf, parseMcpServers } from '../mcp-servers.ts'
import { toParams, type Params } from '../parse-params.ts'
import { invalidParams } from '../rpc/rpc-error.ts'
import type { Exchange } from '../rpc/rpc-peer.ts'
import type { PastTelling } from '../session/session-parts.ts'
import { checkDirectory } from './check-directory.ts'
import type { Connection, OpenedSession } from './connection.ts'
import { findResumable } from './find-resumable.ts'
import { closeSession, openSession, type Opening } from './open-session.ts'

/** `session/new`. The first one may resume an earlier session. */
export async function newSession(
  connection: Connection,
  params: unknown,
  exchange: Exchange,
): Promise<NewSessionResponse> {
  const abilities = connection.requireHandshake()
  const { cwd, servers } = await checkSetup(connection, toParams(params))
  const resume = connection.resume
  connection.resume = undefined
  const found = resume && (await findResumable(connection, cwd, resume.selector))
  // Some clients drop updates that arrive before the session id.
  const past = resume?.replay === 'before' ? 'now' : 'later'
  const again = found && (await reopen(connection, found, { servers, past }).catch(() => warnOfLoss(connection, found)))
  if (again !== undefined && found !== undefined) {
    exchange.afterResponse(() => again.session.goLive())
    return { sessionId: found.sessionId, ...setup(again) }
  }
  const view = await create(connection, cwd, servers)
  const opened = await openNew(connection, { view, abilities, servers, past: 'never' }).catch(
    async (error: unknown) => {
      await forget(connection, view.sessionId)
      throw error
    },
  )
  exchange.afterResponse(() => opened.session.goLive())
  return { sessionId: view.sessionId, ...setup(opened) }
}

export interface Loading extends Exchange {
  readonly past: 'now' | 'never'
}

/** `session/load` sends the history; `session/resume` does not. */
export async function loadSession(
  connection: Connection,
  params: unknown,
  { past, afterResponse }: Loading,
): Promise<LoadSessionResponse> {
  const { given, sessionId } = connection.paramsOf(params)
  const known = await connection.find(sessionId)
  if (known === undefined) throw connection.unknown(sessionId)
  const isOptional = past === 'never' && given['mcpServers'] === undefined
  const setupGiven = isOptional ? { ...given, mcpServers: [] } : given
  const isOwn = await prepareOwnDirectory(connection, known, given['cwd'])
  const { cwd, servers } = await checkSetup(connection, setupGiven, { isAllowed: isOwn })
  requireSameDirectory(connection, known, cwd)
  if (connection.sessions.get(sessionId)?.prompts.isBusy === true) {
    throw invalidRequest('a turn of this connection is running in the session', 'session_busy')
  }
  const isChanged = await noteServers(connection, known, servers)
  const opened = await reopen(connection, known, { servers, past })
  afterResponse(() => opened.session.goLive())
  return { ...setup(opened), ...(isChanged && { _meta: { '_agentao.cn/mcpFingerprintChanged': true } }) }
}

/** `session/close`. */
export async function endSession(connection: Connection, params: unknown): Promise<object> {
  const { sessionId } = connection.paramsOf(params)
  connection.opened(sessionId)
  await closeSession(connection, sessionId)
  return {}
}

/** `session/delete`: succeeds when the session does not exist. */
export async function deleteSession(connection: Connection, params: unknown): Promise<object> {
  const { sessionId } = connection.paramsOf(params)
  const { deps, options } = connection
  await closeSession(connection, sessionId)
  if ((await connection.find(sessionId)) === undefined) return {}
  await deps.engine.execute({ type: 'delete-session', userId: options.userId, sessionId })
  return {}
}

interface Setup {
  readonly cwd: string
  readonly servers: readonly GivenMcpServer[]
}

async function checkSetup(
  { options }: Connection,
  given: Params,
  { isAllowed } = { isAllowed: false },
): Promise<Setup> {
  const cwd = await checkDirectory(given['cwd'], isAllowed ? undefined : options.rights.directories)
  const servers = parseMcpServers(given['mcpServers'], options)
  const { additionalDirectories } = given
  if (Array.isArray(additionalDirectories) && additionalDirectories.length > 0) {
    throw invalidParams('additionalDirectories', 'is not supported')
  }
  return { cwd, servers }
}

/** Falls back to a new session when the old one cannot be read. */
function warnOfLoss({ deps }: Connection, { sessionId }: SessionView): undefined {
  deps.log({ level: 'warn', message: 'the session to resume cannot be read; starting a new one', sessionId })
}

async function create(connection: Connection, cwd: string, servers: readonly GivenMcpServer[]): Promise<SessionView> {
  const { deps, options } = connection
  const { userId, agent } = options
  const { sessionId } = await deps.engine.execute({
    type: 'create-session',
    userId,
    agent,
    access: { type: 'preset' },
    directories: [cwd],
    labels: { [FINGERPRINT_LABEL]: fingerprintOf(servers, deps.digest) },
  })
  return deps.engine.readSession(userId, sessionId)
}

/** Deletes a new session that could not be opened. */
async function forget({ deps, options }: Connection, sessionId: SessionId): Promise<void> {
  try {
    await deps.engine.execute({ type: 'delete-session', userId: options.userId, sessionId })
  } catch (error) {
    deps.log({ level: 'warn', message: 'a session that could not be opened was not deleted', sessionId, error })
  }
}

async function reopen(
  connection: Connection,
  view: SessionView,
  { servers, past }: { readonly servers: readonly GivenMcpServer[]; readonly past: PastTelling },
): Promise<OpenedSession> {
  const abilities = connection.requireHandshake()
  await openRoots(connection, view)
  const current = await connection.deps.engine.readSession(connection.options.userId, view.sessionId)
  const opened = await openSession(connection, { view: current, abilities, servers, past })
  const { session } = opened
  if (session.hasLostModel) {
    session.whenLive(() =>
      session.tellProblem('The model of this session is no longer available. The default model is used.'),
    )
  }
  return opened
}

async function openNew(connection: Connection, opening: Opening): Promise<OpenedSession> {
  await openRoots(connection, opening.view)
  return openSession(connection, opening)
}

const setup = ({ session }: OpenedSession) => ({ modes: session.modes, configOptions: session.configOptions })

/** The recorded path is a real path. If it now leads through a link, it is another directory. */
function requireSameDirectory({ deps }: Connection, view: SessionView, cwd: string): void {
  const { sessionId, agent, directories } = view
  const stored = deps.workspaces.locate({ sessionId, agent, directories }).cwd
  if (stored !== cwd) throw invalidParams('cwd', 'is not the directory of this session')
}

async function openRoots({ deps }: Connection, { sessionId, agent, directories }: SessionView): Promise<void> {
  const problem = await deps.workspaces.open({ sessionId, agent, directories })
  if (problem !== undefined) throw invalidParams('cwd', `cannot be used: ${problem}`)
}

/** A session of another door has its own directory, which is created when it is first needed. */
async function prepareOwnDirectory({ deps }: Connection, view: SessionView, cwd: unknown): Promise<boolean> {
  const { sessionId, agent, directories } = view
  const owner = { sessionId, agent, directories }
  if (directories.length > 0 || deps.workspaces.locate(owner).cwd !== cwd) return false
  await deps.workspaces.prepare(owner)
  return true
}

/** Logs when the MCP servers differ from those of the last time. The session stores only a hash of them. */
async function noteServers(
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
