import {
  asSessionId,
  asToolCallId,
  type Engine,
  type EventStore,
  type Preset,
  type Recorded,
  type SessionId,
  type UserId,
} from '@polylogue/engine'
import { Hono } from 'hono'
import { z } from 'zod'
import type { Authenticate } from '../auth/authenticate.ts'
import { HttpRefusal } from '../http/http-refusal.ts'
import { readJsonBody } from '../http/read-json-body.ts'
import { requireCaller, type CallerEnv } from '../http/require-caller.ts'
import { isAboveCeiling } from '../permissions/cap-presets.ts'
import { PRESETS } from '../permissions/permissions-schema.ts'

const changes = z
  .object({ preset: z.enum(PRESETS), planning: z.boolean() })
  .partial()
  .refine(({ preset, planning }) => preset === undefined || planning === undefined, 'give `preset` or `planning`')

const cancellation = z.object({ reason: z.string().min(1).max(1000).default('cancelled by the user') })

const eventsQuery = z.object({
  after: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(1000).default(200),
})

export interface SessionControlDeps {
  readonly engine: Pick<Engine, 'execute' | 'readSession'>
  readonly store: Pick<EventStore, 'readEvents'>
  /** The most that others than the user `local` may give a session. */
  readonly ceiling: Preset
  readonly authenticate: Authenticate
}

/** What the console and the command line do with a session beyond the contracts: its mode, one call, its log. */
export function createSessionControlRoutes({
  engine,
  store,
  ceiling,
  authenticate,
}: SessionControlDeps): Hono<CallerEnv> {
  const routes = new Hono<CallerEnv>()
  routes.use(requireCaller(authenticate))

  routes.patch('/:id', async (c) => {
    const { userId } = c.var.caller
    const sessionId = asSessionId(c.req.param('id'))
    const wanted = await readJsonBody(c, changes)
    if (wanted.preset !== undefined && isAboveCeiling(wanted.preset, userId, ceiling)) {
      throw new HttpRefusal(403, `preset: ${wanted.preset} is above the ceiling, ${ceiling}.`)
    }
    await engine.execute({
      type: 'configure-session',
      userId,
      sessionId,
      changes: {
        ...(wanted.preset !== undefined && { preset: wanted.preset }),
        ...(wanted.planning !== undefined && { planning: wanted.planning }),
      },
    })
    const { preset } = await engine.readSession(userId, sessionId)
    return c.json({ preset })
  })

  routes.post('/:id/calls/:call/cancel', async (c) => {
    const { userId } = c.var.caller
    const { reason } = await readJsonBody(c, cancellation)
    const sessionId = asSessionId(c.req.param('id'))
    const toolCallId = asToolCallId(c.req.param('call'))
    return c.json(await engine.execute({ type: 'cancel-call', userId, sessionId, toolCallId, reason }))
  })

  // 202: what became of it is in the log.
  routes.post('/:id/compact', async (c) => {
    const { userId } = c.var.caller
    const sessionId = asSessionId(c.req.param('id'))
    return c.json(await engine.execute({ type: 'compact-session', userId, sessionId }), 202)
  })

  routes.get('/:id/events', async (c) => {
    const query = eventsQuery.safeParse(c.req.query())
    if (!query.success) throw new HttpRefusal(400, '`after` is a number, `limit` a number from 1 to 1000.')
    const sessionId = asSessionId(c.req.param('id'))
    const events = await readEvents(c.var.caller.userId, sessionId, query.data)
    return c.json({ events, ...(events.length === query.data.limit && { next: events.at(-1)?.seq }) })
  })

  /** Asking the engine first keeps the sessions of others unknown. */
  async function readEvents(
    userId: UserId,
    sessionId: SessionId,
    { after, limit }: z.output<typeof eventsQuery>,
  ): Promise<readonly Recorded[]> {
    await engine.readSession(userId, sessionId)
    return store.readEvents(sessionId, after, limit)
  }

  return routes
}
