import type { HttpBindings } from '@hono/node-server'
import { asSessionId, type AgentCatalog, type AgentDefinition, type JsonValue, type SessionId } from '@polylogue/engine'
import { readJsonBody, tooLarge } from '@polylogue/kit'
import type { Context } from 'hono'
import { isSessionId } from '../cursors.ts'
import type { AapDeps, Caller } from '../deps.ts'
import { WireError, sessionNotFound, toHttpRefusal } from '../errors.ts'
import type { ToolSpec } from '../requests.ts'
import type { StreamMode } from '../wire.ts'

export interface NodeEnv {
  Bindings: HttpBindings
}

/** One authenticated request. */
export interface Exchange {
  readonly c: Context<NodeEnv>
  readonly caller: Caller
}

export type Answer = (exchange: Exchange) => Promise<Response>

/** Checks the key first. Refusals become statuses; other errors are passed on to the server. */
export function guarded(deps: AapDeps, maxBodyBytes: number, answer: Answer) {
  return async (c: Context<NodeEnv>): Promise<Response> => {
    try {
      const caller = await deps.authenticate(c.req.raw, c.env.incoming)
      if (caller === undefined) throw unauthorized()
      if (Number(c.env.incoming.headers['content-length'] ?? 0) > maxBodyBytes) {
        throw tooLarge(maxBodyBytes)
      }
      return await answer({ c, caller })
    } catch (error) {
      const refusal = toHttpRefusal(error)
      if (refusal === undefined || c.env.outgoing.headersSent) throw error
      const { status, body, retryAfterS } = refusal
      return c.json(body, status, retryAfterS === undefined ? {} : { 'Retry-After': String(retryAfterS) })
    }
  }
}

const unauthorized = (): WireError => new WireError(401, 'Unauthorized')

/** A body may arrive long after its head: the key may have been revoked meanwhile. */
export async function readBody({ c, caller }: Exchange, { limits }: Pick<AapDeps, 'limits'>): Promise<JsonValue> {
  const body = await readJsonBody(c.env.incoming, { ...limits.json, bytes: limits.bodyBytes })
  if (caller.revoked.aborted) throw unauthorized()
  return body
}

/** A malformed id is answered like an unknown one. */
export function sessionIdOf({ c }: Exchange): SessionId {
  const id = c.req.param('id') ?? ''
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
