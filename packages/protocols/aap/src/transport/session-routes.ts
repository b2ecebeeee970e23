import type { SessionView } from '@polylogue/engine'
import type { DocumentStream } from '@polylogue/kit'
import { toCreateSession } from '../commands.ts'
import { encodeListCursor, parseListCursor } from '../cursors.ts'
import { parseCreateSession } from '../decode.ts'
import type { AapDeps } from '../deps.ts'
import { encodeMeta, encodeSession } from '../encode-agent.ts'
import { encodeMessages } from '../encode-messages.ts'
import { WireError } from '../errors.ts'
import { IncomingImages } from '../images.ts'
import { HISTORY_TYPES, type AapVersion, type HistoryType } from '../wire.ts'
import { answerDocument, writeList } from './answer-document.ts'
import { checkCapabilities, findAgent, readBody, sessionIdOf, type Answer } from './exchange.ts'

/** Encoded once for each set of agents and tools. Tools of MCP servers come and go. */
export function readMeta({ agents, digest }: AapDeps, version: AapVersion): Answer {
  let parts: readonly unknown[] = []
  let text = ''
  let etag = ''
  return async ({ c }) => {
    const now = agents.list().flatMap((agent) => [agent, ...agent.tools])
    if (text === '' || now.length !== parts.length || now.some((part, index) => part !== parts[index])) {
      parts = now
      text = JSON.stringify(encodeMeta(version, agents))
      etag = `W/"${digest(text).slice(0, 32)}"`
    }
    if (c.req.header('if-none-match') === etag) return c.body(null, 304, { ETag: etag })
    return c.body(text, 200, { 'Content-Type': 'application/json', ETag: etag })
  }
}

export function createSession({ engine, agents, digest, limits }: AapDeps): Answer {
  return async (exchange) => {
    const { c, caller } = exchange
    const request = parseCreateSession(await readBody(exchange, { limits }))
    const agent = findAgent(agents, request.agent.name)
    checkCapabilities(agent, { tools: request.tools })
    const images = new IncomingImages(agent.features.images, digest)
    const { sessionId } = await engine.execute(toCreateSession(caller.userId, request, images))
    // Creating a session runs nothing, but tells a client that turns may carry keys.
    const key = c.req.header('idempotency-key')
    if (key !== undefined) c.env.outgoing.setHeader('idempotency-key', key)
    return c.json({ sessionId }, 201)
  }
}

/** Newest first. Version 1 lists ids, version 3 whole sessions. */
export function listSessions({ engine, agents, limits }: AapDeps, version: AapVersion): Answer {
  return async ({ c, caller }) => {
    const after = c.req.query('after')
    const before = after === undefined ? undefined : parseListCursor(after)
    const page = await engine.listSessions(caller.userId, { before, limit: limits.pageSize })
    const show = (session: SessionView) => (version === 3 ? encodeSession(version, session, agents) : session.sessionId)
    const next = page.next === undefined ? undefined : encodeListCursor(page.next)
    return c.json({ sessions: page.sessions.map(show), next })
  }
}

export function readSession({ engine, agents }: AapDeps): Answer {
  return async (exchange) => {
    const session = await engine.readSession(exchange.caller.userId, sessionIdOf(exchange))
    return exchange.c.json(encodeSession(3, session, agents))
  }
}

/** Version 1 has no path for histories: they are part of the session. */
export function readSessionWithHistory(deps: AapDeps): Answer {
  return async (exchange) => {
    const { c, caller } = exchange
    const wanted = c.req.query('history')
    const type = wanted === undefined ? undefined : parseHistoryType(wanted, 'history')
    const session = await deps.engine.readSession(caller.userId, sessionIdOf(exchange))
    const types = type === undefined ? declaredHistories(deps, session) : [checkDeclared(deps, session, type)]
    const shown = JSON.stringify(encodeSession(1, session, deps.agents))
    if (types.length === 0) return c.body(shown, 200, { 'content-type': 'application/json' })
    return answerDocument(exchange, deps, async (document) => {
      await document.write(`${shown.slice(0, -1)},"history":`)
      await writeHistories(document, deps, { session, types })
      await document.write('}')
    })
  }
}

export function readHistory(deps: AapDeps): Answer {
  return async (exchange) => {
    const { c, caller } = exchange
    const type = parseHistoryType(c.req.query('type'), 'type')
    const session = await deps.engine.readSession(caller.userId, sessionIdOf(exchange))
    const types = [checkDeclared(deps, session, type)]
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
    return exchange.c.body(null, 204)
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
