import type { LoadSessionResponse, NewSessionResponse } from '@agentclientprotocol/sdk'
import type { ForkSessionResponse } from '@agentclientprotocol/sdk/unstable'
import type { SessionId, SessionView } from '@polylogue/engine'
import { invalidRequest } from '../errors.ts'
import { FINGERPRINT_LABEL } from '../labels.ts'
import { fingerprintOf } from '../mcp-servers.ts'
import { toParams } from '../parse-params.ts'
import type { Exchange } from '../rpc/rpc-peer.ts'
import type { HistoryReplay } from '../session/session-parts.ts'
import type { Connection, OpenedSession } from './connection.ts'
import { findResumable } from './find-resumable.ts'
import { closeSession, openSession } from './open-session.ts'
import {
  changeRoots,
  checkSetup,
  checkSetupOf,
  checkSetupOfFork,
  directoriesOf,
  noteServers,
  openRoots,
  type SessionSetup,
} from './session-setup.ts'

/** `session/new`. The first one may resume an earlier session. */
export async function newSession(
  connection: Connection,
  params: unknown,
  exchange: Exchange,
): Promise<NewSessionResponse> {
  connection.requireHandshake()
  const place = await checkSetup(connection, toParams(params))
  const resume = connection.resume
  connection.resume = undefined
  const found = resume && (await findResumable(connection, place.cwd, resume.selector))
  // Some clients drop updates that arrive before the session id.
  const past = resume?.replay === 'before' ? 'now' : 'later'
  const again = found && (await reopen(connection, found, { place, past }).catch(() => warnOfLoss(connection, found)))
  if (again !== undefined && found !== undefined) {
    exchange.afterResponse(() => again.session.goLive())
    return { sessionId: found.sessionId, ...setup(again) }
  }
  const opened = await openNew(connection, await create(connection, place), place)
  exchange.afterResponse(() => opened.session.goLive())
  return { sessionId: opened.session.sessionId, ...setup(opened) }
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
  const place = await checkSetupOf(connection, known, setupGiven)
  if (connection.sessions.get(sessionId)?.prompts.isBusy === true) {
    throw invalidRequest('a turn of this connection is running in the session', 'session_busy')
  }
  const isChanged = await noteServers(connection, known, place.servers)
  const opened = await reopen(connection, known, { place, past })
  afterResponse(() => opened.session.goLive())
  return { ...setup(opened), ...(isChanged && { _meta: { '_agentao.cn/mcpFingerprintChanged': true } }) }
}

/** `session/fork`. The client has the history of the parent, so it is not sent again. */
export async function forkSession(
  connection: Connection,
  params: unknown,
  { afterResponse }: Exchange,
): Promise<ForkSessionResponse> {
  const { given, sessionId } = connection.paramsOf(params)
  const { deps, options } = connection
  const parent = await connection.find(sessionId)
  if (parent === undefined) throw connection.unknown(sessionId)
  const place = await checkSetupOfFork(connection, parent, { mcpServers: [], ...given })
  const fork = await deps.engine.execute({
    type: 'fork-session',
    userId: options.userId,
    sessionId,
    directories: directoriesOf(parent, place),
    labels: { [FINGERPRINT_LABEL]: fingerprintOf(place.servers, deps.digest) },
  })
  const opened = await openNew(connection, fork.sessionId, place)
  afterResponse(() => opened.session.goLive())
  return { sessionId: fork.sessionId, ...setup(opened) }
}

/** `session/close`. Also ends the turns of this client and the commands in the background. */
export async function endSession(connection: Connection, params: unknown): Promise<object> {
  const { sessionId } = connection.paramsOf(params)
  connection.opened(sessionId)
  await closeSession(connection, sessionId)
  await connection.deps.endBackground?.(sessionId)
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

/** Falls back to a new session when the old one cannot be read. */
function warnOfLoss({ deps }: Connection, { sessionId }: SessionView): undefined {
  deps.log({ level: 'warn', message: 'the session to resume cannot be read; starting a new one', sessionId })
}

async function create({ deps, options }: Connection, { cwd, additional, servers }: SessionSetup): Promise<SessionId> {
  const { userId, agent } = options
  const { sessionId } = await deps.engine.execute({
    type: 'create-session',
    userId,
    agent,
    access: { type: 'preset' },
    directories: [cwd, ...additional],
    labels: { [FINGERPRINT_LABEL]: fingerprintOf(servers, deps.digest) },
  })
  return sessionId
}

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
  { place, past }: { readonly place: SessionSetup; readonly past: HistoryReplay },
): Promise<OpenedSession> {
  const abilities = connection.requireHandshake()
  await changeRoots(connection, view, place)
  const current = await connection.deps.engine.readSession(connection.options.userId, view.sessionId)
  await openRoots(connection, current)
  const opened = await openSession(connection, { view: current, abilities, servers: place.servers, past })
  const { session } = opened
  if (session.choices.hasLostModel) {
    session.whenLive(() =>
      session.output.tellProblem('The model of this session is no longer available. The default model is used.'),
    )
  }
  return opened
}

/** A new session that cannot be opened is deleted again. */
async function openNew(
  connection: Connection,
  sessionId: SessionId,
  { servers }: SessionSetup,
): Promise<OpenedSession> {
  const { deps, options } = connection
  const abilities = connection.requireHandshake()
  try {
    const view = await deps.engine.readSession(options.userId, sessionId)
    await openRoots(connection, view)
    return await openSession(connection, { view, abilities, servers, past: 'never' })
  } catch (error) {
    await forget(connection, sessionId)
    throw error
  }
}

const setup = ({ session }: OpenedSession) => ({
  modes: session.choices.modes,
  configOptions: session.choices.configOptions,
})
