import { Hono } from 'hono'
import type { Authenticate } from '../auth/authenticate.ts'
import { LOCAL_USER } from '../auth/key-ring.ts'
import { HttpRefusal } from '../http/http-refusal.ts'
import { requireCaller, type CallerEnv } from '../http/require-caller.ts'

/** For the operator alone: how busy a server is, is nothing that its users tell each other. */
export function createMetricsRoutes(metrics: { expose(): string }, authenticate: Authenticate): Hono<CallerEnv> {
  const routes = new Hono<CallerEnv>()
  routes.use('/metrics', requireCaller(authenticate))
  routes.get('/metrics', (c) => {
    if (c.var.caller.userId !== LOCAL_USER) throw new HttpRefusal(403, 'Metrics are for the user local.')
    return c.body(metrics.expose(), 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' })
  })
  return routes
}
