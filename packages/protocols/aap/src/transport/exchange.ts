import type { IncomingMessage, ServerResponse } from 'node:http'
import { asSessionId, type AgentCatalog, type AgentDefinition, type JsonValue, type SessionId } from '@polylogue/engine'
import { readJsonBody, tooLarge } from '@polylogue/kit'
import { isSessionId } from '../cursors.ts'
import type { AapDeps, Caller } from '../deps.ts'
import { WireError, sessionNotFound, toHttpRefusal } from '../errors.ts'
import type { ToolSpec } from '../requests.ts'
import type { StreamMode } from '../wire.ts'

/** A request and its response, as Node gives them. */
export interface Sockets {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  /** The session in the path, as the client wrote it. Empty if the route has none. */
  readonly id: string
}

/** One authenticated request. */
export interface Exchange extends Sockets {
  readonly caller: Caller
}

/** Resolves when the response is written, or when it is being streamed. */
export type Answer = (exchange: Exchange) => Promise<void>

/** Answers a request that has not been authenticated. Rejects with errors that are not refusals of this door. */
export type RouteAnswer = (sockets: Sockets) => Promise<void>

/** Checks the key first. Refusals become statuses; other errors are passed on to the server. */
export function guarded(deps: AapDeps, maxBodyBytes: number, answer: Answer): RouteAnswer {
  return async ({ incoming, outgoing, id }) => {
    try {
      const caller = await deps.authenticate(incoming)
      if (caller === undefined) throw unauthorized()
      if (Number(incoming.headers['content-length'] ?? 0) > maxBodyBytes) throw tooLarge(maxBodyBytes)
      await answer({ incoming, outgoing, id, caller })
    } catch (error) {
      const refusal = toHttpRefusal(error)
      if (refusal === undefined || outgoing.headersSent) throw error
      const { status, body, retryAfterS } = refusal
      if (retryAfterS !== undefined) outgoing.setHeader('Retry-After', String(retryAfterS))
      sendJson(outgoing, status, body)
    }
  }
}

export function sendJson(outgoing: ServerResponse, status: number, body: object): void {
  sendText(outgoing, status, JSON.stringify(body))
}

/** `text` is JSON. */
export function sendText(outgoing: ServerResponse, status: number, text: string): void {
  const length = Buffer.byteLength(text)
  outgoing.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': length })
  // The bytes of ASCII are the same in both encodings, and Node writes latin1 faster.
  outgoing.end(text, length === text.length ? 'latin1' : 'utf8')
}

/** The first value of a query parameter. */
export function queryOf({ incoming: { url = '' } }: Pick<Sockets, 'incoming'>, name: string): string | undefined {
  const start = url.indexOf('?')
  return start === -1 ? undefined : (new URLSearchParams(url.slice(start + 1)).get(name) ?? undefined)
}

/** A header that the client sent once. */
export function headerOf({ incoming }: Pick<Sockets, 'incoming'>, name: string): string | undefined {
  const value = incoming.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

const unauthorized = (): WireError => new WireError(401, 'Unauthorized')

/** A body may arrive long after its head: the key may have been revoked meanwhile. */
export async function readBody(
  { incoming, caller }: Exchange,
  { limits }: Pick<AapDeps, 'limits'>,
): Promise<JsonValue> {
  const body = await readJsonBody(incoming, { ...limits.json, bytes: limits.bodyBytes })
  if (caller.revoked.aborted) throw unauthorized()
  return body
}

/** A malformed id is answered like an unknown one. */
export function sessionIdOf({ id }: Sockets): SessionId {
  if (!isSessionId(id)) throw sessionNotFound()
  return asSessionId(id)
}

export function findAgent(agents: AgentCatalog, name: string): AgentDefinition {
  const agent = agents.find(name)
  if (agent === undefined) throw new WireError(400, 'agent.name: there is no agent of this name')
  return agent
}

export interface Wanted {
  readonly stream?: StreamMode
  readonly tools?: readonly ToolSpec[] | undefined
}

/** Refuses what the agent does not declare. */
export function checkCapabilities({ features }: AgentDefinition, { stream, tools = [] }: Wanted): void {
  if (stream !== undefined && !features.streams.includes(stream)) {
    throw new WireError(400, `stream: the agent does not offer ${stream}`)
  }
  if (tools.length > 0 && !features.clientTools) throw new WireError(400, 'tools: the agent takes no client-side tools')
}
