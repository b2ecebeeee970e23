import type { SessionId, SessionView } from '@polylogue/engine'
import type { ClientAbilities } from '../client-abilities.ts'
import type { GivenMcpServer } from '../deps.ts'
import { AcpSession } from '../session/acp-session.ts'
import { Prompts } from '../session/prompts.ts'
import type { HistoryReplay } from '../session/session-parts.ts'
import type { Connection, OpenedSession } from './connection.ts'

export interface Opening {
  readonly view: SessionView
  readonly abilities: ClientAbilities
  readonly servers: readonly GivenMcpServer[]
  readonly past: HistoryReplay
}

/**
 * Opens a session on this connection and sends its history. Live updates start with `goLive`. An open session is closed
 * and opened again.
 */
export function openSession(connection: Connection, opening: Opening): Promise<OpenedSession> {
  return connection.inOrder(opening.view.sessionId, () => open(connection, opening))
}

async function open(connection: Connection, opening: Opening): Promise<OpenedSession> {
  const { deps, options, peer, out, extension, sessions } = connection
  const { view, abilities, servers, past } = opening
  const { sessionId } = view
  sessions.get(sessionId)?.session.close()
  sessions.delete(sessionId)
  const session = new AcpSession({
    deps,
    options,
    peer,
    out,
    sessionId,
    abilities,
    extension,
    pastSeq: view.lastSeq,
    past,
    closed: () => {
      if (sessions.get(sessionId)?.session === session) sessions.delete(sessionId)
    },
  })
  await session.open()
  const ready = connectServers(connection, session, servers).then(() => session.whenLive(() => session.tellCommands()))
  session.whenLive(() => void out.flushed().then(() => tellModels(connection, session)))
  const opened = { session, prompts: new Prompts({ deps, options, session, ready }) }
  sessions.set(sessionId, opened)
  return opened
}

/** Opening the session does not wait for its servers; the first prompt does. Never rejects. */
async function connectServers(
  { deps }: Connection,
  session: AcpSession,
  servers: readonly GivenMcpServer[],
): Promise<void> {
  const { sessionId } = session
  const problem = (message: string): void => {
    deps.log({ level: 'warn', message: 'an MCP server of a client is not available', sessionId, problem: message })
    session.whenLive(() => session.output.tellProblem(message))
  }
  try {
    await deps.sessionServers.open(sessionId, servers, problem)
  } catch (error) {
    deps.log({ level: 'error', message: 'the MCP servers of a session could not be opened', sessionId, error })
    problem('The MCP servers of this session could not be opened')
  }
}

/** For servers that may have more models. They are asked after the response, because that takes time, too. */
async function tellModels({ deps }: Connection, session: AcpSession): Promise<void> {
  const before = JSON.stringify(deps.models.list())
  await deps.models.askServers()
  if (JSON.stringify(deps.models.list()) === before) return
  session.output.tell({ sessionUpdate: 'config_option_update', configOptions: session.choices.configOptions })
}

/** Cancels the turns of this connection in the session, and closes it. */
export function closeSession(connection: Connection, sessionId: SessionId): Promise<void> {
  return connection.inOrder(sessionId, () => close(connection, sessionId))
}

async function close(connection: Connection, sessionId: SessionId): Promise<void> {
  const opened = connection.sessions.get(sessionId)
  if (opened === undefined) return
  const { session, prompts } = opened
  session.stopAsking()
  await prompts.cancelOwn()
  await prompts.answered()
  session.close()
  connection.sessions.delete(sessionId)
  await connection.deps.sessionServers.close(sessionId)
}
