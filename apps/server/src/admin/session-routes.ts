import {
  asSessionId,
  type AgentCatalog,
  type AssistantPart,
  type Engine,
  type EventStore,
  type Preset,
  type SeedMessage,
  type SessionView,
} from '@polylogue/engine'
import { Hono } from 'hono'
import { z } from 'zod'
import type { Authenticate } from '../auth/authenticate.ts'
import { HttpRefusal } from '../http/http-refusal.ts'
import { readJsonBody } from '../http/read-json-body.ts'
import { requireCaller, type CallerEnv } from '../http/require-caller.ts'
import { isAboveCeiling } from '../permissions/cap-presets.ts'
import { PRESETS } from '../permissions/permissions-schema.ts'

const pageQuery = z.object({
  before: z.uuid().optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
})

const newSession = z.object({
  agent: z.string().min(1).max(200).optional(),
  preset: z.enum(PRESETS).optional(),
})

export interface SessionRoutesDeps {
  readonly engine: Pick<Engine, 'execute' | 'listSessions' | 'readSession' | 'readHistory'>
  readonly store: Pick<EventStore, 'readHead'>
  readonly agents: Pick<AgentCatalog, 'find'> & { readonly defaultName: string }
  /** The most that others than the user `local` may give a session. */
  readonly ceiling: Preset
  readonly authenticate: Authenticate
}

export function createSessionRoutes(deps: SessionRoutesDeps): Hono<CallerEnv> {
  const { engine, store, agents, ceiling, authenticate } = deps
  const routes = new Hono<CallerEnv>()
  routes.use(requireCaller(authenticate))

  routes.get('/', async (c) => {
    const query = pageQuery.safeParse(c.req.query())
    if (!query.success) throw new HttpRefusal(400, '`before` is a session id, `limit` a number from 1 to 100.')
    const { before, limit } = query.data
    const page = await engine.listSessions(c.var.caller.userId, {
      limit,
      ...(before === undefined ? {} : { before: asSessionId(before) }),
    })
    return c.json({ sessions: page.sessions.map(toSessionJson), next: page.next })
  })

  // All tools of the agent under a preset. A session that is made over AAP has the tools that its client lists instead.
  routes.post('/', async (c) => {
    const { userId } = c.var.caller
    const { agent = agents.defaultName, preset } = await readJsonBody(c, newSession)
    if (agents.find(agent) === undefined) throw new HttpRefusal(400, `agent: there is no agent called ${agent}`)
    if (preset !== undefined && isAboveCeiling(preset, userId, ceiling)) {
      throw new HttpRefusal(403, `preset: ${preset} is above the ceiling, ${ceiling}.`)
    }
    const { sessionId } = await engine.execute({
      type: 'create-session',
      userId,
      agent,
      access: { type: 'preset' },
      ...(preset !== undefined && { preset }),
    })
    return c.json({ sessionId }, 201)
  })

  routes.get('/:id', async (c) => {
    const { userId } = c.var.caller
    const sessionId = asSessionId(c.req.param('id'))
    const view = await engine.readSession(userId, sessionId)
    const messages = await engine.readHistory(userId, sessionId, 'full')
    const head = await store.readHead(sessionId)
    return c.json({ session: toSessionJson(view), messages: messages.map(toMessageJson), events: head?.lastSeq ?? 0 })
  })
  return routes
}

function toSessionJson(view: SessionView) {
  return {
    sessionId: view.sessionId,
    user: view.userId,
    title: view.title,
    status: view.status,
    agent: view.agent,
    preset: view.preset,
    model: view.model,
    directories: view.directories,
    lastOutcome: view.lastOutcome,
    waitingCalls: view.waitingCalls,
    createdAt: view.createdAt,
    updatedAt: view.updatedAt,
  }
}

function toMessageJson(message: SeedMessage) {
  switch (message.role) {
    case 'system':
      return { role: message.role, content: message.text }
    case 'tool':
      return { role: message.role, toolCallId: message.toolCallId, content: toContentJson(message.content) }
    case 'user':
    case 'assistant':
      return { role: message.role, content: toContentJson(message.content) }
  }
}

function toContentJson(content: string | readonly AssistantPart[]) {
  return typeof content === 'string' ? content : content.map(toPartJson)
}

function toPartJson(part: AssistantPart) {
  switch (part.type) {
    case 'text':
    case 'thinking':
      return { type: part.type, text: part.text }
    case 'tool-call':
      return { type: part.type, toolCallId: part.toolCallId, name: part.name, input: part.input }
    case 'image':
      return part.source.type === 'url'
        ? { type: part.type, url: part.source.url }
        : { type: part.type, hash: part.source.hash, mediaType: part.source.mediaType }
  }
}
