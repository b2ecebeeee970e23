import { asToolCallId, type AgentCatalog, type Engine, type JsonObject, type SeedMessage } from '@polylogue/engine'
import { Hono } from 'hono'
import { isAbsolute } from 'node:path'
import { z } from 'zod'
import type { Authenticate } from '../auth/authenticate.ts'
import { HttpRefusal } from '../http/http-refusal.ts'
import { readJsonBody } from '../http/read-json-body.ts'
import { requireCaller, type CallerEnv } from '../http/require-caller.ts'

/** A whole conversation is larger than any other request. */
const LIMITS = { bytes: 64 * 1024 * 1024, depth: 64, keys: 1_000_000, stringLength: 16 * 1024 * 1024 }

const part = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('thinking'), text: z.string() }),
  z.object({
    type: z.literal('tool-call'),
    toolCallId: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
    name: z.string().min(1).max(200),
    input: z.record(z.string(), z.json()),
  }),
])

const message = z.discriminatedUnion('role', [
  z.object({ role: z.literal('user'), content: z.string() }),
  z.object({ role: z.literal('assistant'), content: z.array(part) }),
  z.object({ role: z.literal('tool'), toolCallId: z.string(), content: z.string() }),
])

const importedSession = z.object({
  agent: z.string().min(1).max(200).optional(),
  /** Where it works. */
  directory: z.string().max(4096).refine(isAbsolute, 'must be an absolute path').optional(),
  title: z.string().min(1).max(200).optional(),
  messages: z.array(message).max(100_000),
})

export interface SessionImportDeps {
  readonly engine: Pick<Engine, 'execute'>
  readonly agents: Pick<AgentCatalog, 'find'> & { readonly defaultName: string }
  readonly authenticate: Authenticate
}

/** On the owner socket only: a session may be put into any directory that its owner can name. */
export function createSessionImportRoutes({ engine, agents, authenticate }: SessionImportDeps): Hono<CallerEnv> {
  const routes = new Hono<CallerEnv>()
  routes.use(requireCaller(authenticate))
  routes.post('/', async (c) => {
    const given = await readJsonBody(c, importedSession, LIMITS)
    const { agent = agents.defaultName, directory, title, messages } = given
    if (agents.find(agent) === undefined) throw new HttpRefusal(400, `agent: there is no agent called ${agent}`)
    const { sessionId } = await engine.execute({
      type: 'create-session',
      userId: c.var.caller.userId,
      agent,
      access: { type: 'preset' },
      seed: messages.map(toSeedMessage),
      ...(directory !== undefined && { directories: [directory] }),
      ...(title !== undefined && { title }),
    })
    return c.json({ sessionId }, 201)
  })
  return routes
}

function toSeedMessage(given: z.infer<typeof message>): SeedMessage {
  switch (given.role) {
    case 'user':
      return given
    case 'tool':
      return { ...given, toolCallId: asToolCallId(given.toolCallId) }
    case 'assistant':
      return {
        role: given.role,
        content: given.content.map((piece) =>
          piece.type === 'tool-call'
            ? { ...piece, toolCallId: asToolCallId(piece.toolCallId), input: piece.input as JsonObject }
            : piece,
        ),
      }
  }
}
