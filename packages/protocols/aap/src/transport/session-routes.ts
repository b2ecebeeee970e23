import type { SessionView } from '@polylogue/engine'
import { writeList, type DocumentStream } from '@polylogue/kit'
import { toCreateSession } from '../commands.ts'
import { encodeListCursor, parseListCursor } from '../cursors.ts'
import { parseCreateSession } from '../decode.ts'
import type { AapDeps } from '../deps.ts'
import { encodeMeta, encodeSession } from '../encode-agent.ts'
import { encodeMessages } from '../encode-messages.ts'
import { WireError } from '../errors.ts'
import { IncomingImages } from '../images.ts'
import { takeModelOptions } from '../model-options.ts'
import { SessionTexts } from '../session-texts.ts'
import { HISTORY_TYPES, type AapVersion, type HistoryType } from '../wire.ts'
import { answerDocument } from './answer-document.ts'
import {
  checkCapabilities,
  findAgent,
  headerOf,
  queryOf,
  readBody,
  sendJson,
  sendText,
  sessionIdOf,
  type Answer,
} from './exchange.ts'

/** Encoded once for each set of agents, tools and models. Tools of MCP servers come and go, and so do models of own servers. */
export function readMeta({ agents, modelsFor, digest }: AapDeps, version: AapVersion): Answer {
  let parts: readonly unknown[] = []
  let text = ''
  let etag = ''
  return async (exchange) => {
    const { outgoing } = exchange
    const now = agents.list().flatMap((agent) => [agent, ...agent.tools, ...modelsFor(agent).map(({ name }) => name)])
    if (text === '' || now.length !== parts.length || now.some((part, index) => part !== parts[index])) {
      parts = now
      text = JSON.stringify(encodeMeta(version, { agents, modelsFor }))
      etag = `W/"${digest(text).slice(0, 32)}"`
    }
    outgoing.setHeader('ETag', etag)
    if (headerOf(exchange, 'if-none-match') === etag) outgoing.writeHead(304).end()
    else sendText(outgoing, 200, text)
  }
}

export function createSession({ engine, agents, modelsFor, digest, limits }: AapDeps): Answer {
  return async (exchange) => {
    const { outgoing, caller } = exchange
    const request = parseCreateSession(await readBody(exchange, { limits }))
    const agent = findAgent(agents, request.agent.name)
    checkCapabilities(agent, { tools: request.tools })
    const images = new IncomingImages(agent.features.images, digest)
    const chosen = takeModelOptions(request.agent.options, agent, modelsFor(agent))
    const { sessionId } = await engine.execute(toCreateSession(caller.userId, request, { images, chosen }))
    // Creating a session runs nothing, but tells a client that turns may carry keys.
    const key = headerOf(exchange, 'idempotency-key')
    if (key !== undefined) outgoing.setHeader('idempotency-key', key)
    sendJson(outgoing, 201, { sessionId })
  }
}

/** Newest first. Version 1 lists ids, version 3 whole sessions. */
export function listSessions({ engine, agents, limits }: AapDeps, version: AapVersion): Answer {
  return async (exchange) => {
    const { outgoing, caller } = exchange
    const after = queryOf(exchange, 'after')
    const before = after === undefined ? undefined : parseListCursor(after)
    const page = await engine.listSessions(caller.userId, { before, limit: limits.pageSize })
    const show = (session: SessionView) => (version === 3 ? encodeSession(version, session, agents) : session.sessionId)
    const next = page.next === undefined ? undefined : encodeListCursor(page.next)
    sendJson(outgoing, 200, { sessions: page.sessions.map(show), next })
  }
}

export function readSession({ engine, agents }: AapDeps): Answer {
  const texts = new SessionTexts(agents)
  return async (exchange) => {
    const session = await engine.readSession(exchange.caller.userId, sessionIdOf(exchange))
    sendText(exchange.outgoing, 200, texts.of(session))
  }
}

/** Version 1 has no path for histories: they are part of the session. */
export function readSessionWithHistory(deps: AapDeps): Answer {
  return async (exchange) => {
    const { outgoing, caller } = exchange
    const wanted = queryOf(exchange, 'history')
    const type = wanted === undefined ? undefined : parseHistoryType(wanted, 'history')
    const session = await deps.engine.readSession(caller.userId, sessionIdOf(exchange))
    const types = type === undefined ? declaredHistories(deps, session) : [checkDeclared(deps, session, type)]
    const shown = JSON.stringify(encodeSession(1, session, deps.agents))
    if (types.length === 0) return sendText(outgoing, 200, shown)
    await deps.reads.enter(caller.userId, outgoing)
    return answerDocument(exchange, deps, async (document) => {
      await document.write(`${shown.slice(0, -1)},"history":`)
      await writeHistories(document, deps, { session, types })
      await document.write('}')
    })
  }
}

export function readHistory(deps: AapDeps): Answer {
  return async (exchange) => {
    const { caller, outgoing } = exchange
    const type = parseHistoryType(queryOf(exchange, 'type'), 'type')
    const session = await deps.engine.readSession(caller.userId, sessionIdOf(exchange))
    const types = [checkDeclared(deps, session, type)]
    await deps.reads.enter(caller.userId, outgoing)
    return answerDocument(exchange, deps, async (document) => {
      await document.write('{"history":')
      await writeHistories(document, deps, { session, types })
      await document.write('}')
    })
  }
}

export function deleteSession({ engine }: AapDeps): Answer {
  return async (exchange) => {
    const { userId } = exchange.caller
    await engine.execute({ type: 'delete-session', userId, sessionId: sessionIdOf(exchange) })
    exchange.outgoing.writeHead(204).end()
  }
}

function parseHistoryType(text: string | undefined, field: string): HistoryType {
  const type = HISTORY_TYPES.find((known) => known === text)
  if (type === undefined) throw new WireError(400, `${field}: expected compacted or full`)
  return type
}

/** A session whose agent is no longer offered still shows its user all histories. */
function declaredHistories({ agents }: AapDeps, session: SessionView): readonly HistoryType[] {
  return agents.find(session.agent)?.features.histories ?? HISTORY_TYPES
}

function checkDeclared(deps: AapDeps, session: SessionView, type: HistoryType): HistoryType {
  if (declaredHistories(deps, session).includes(type)) return type
  throw new WireError(404, `the agent does not offer ${type} history`)
}

async function writeHistories(
  document: DocumentStream,
  { engine }: AapDeps,
  { session, types }: { readonly session: SessionView; readonly types: readonly HistoryType[] },
): Promise<void> {
  const { userId, sessionId } = session
  let separator = '{'
  for (const type of types) {
    const messages = await engine.streamHistory(userId, sessionId, type)
    await document.write(`${separator}"${type}":`)
    await writeList(
      document,
      encodeMessages(messages, (hash) => engine.readBlob(userId, sessionId, { hash })),
    )
    separator = ','
  }
  await document.write('}')
}
