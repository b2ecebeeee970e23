import { Hono } from 'hono'
import type { Authenticate } from '../auth/authenticate.ts'
import { LOCAL_USER } from '../auth/key-ring.ts'
import { HttpRefusal } from '../http/http-refusal.ts'
import { requireCaller, type CallerEnv } from '../http/require-caller.ts'

/** Only for the operator: users must not learn how busy a server is. */
export function createMetricsRoutes(
  metrics: { expose(): Promise<string> },
  authenticate: Authenticate,
): Hono<CallerEnv> {
  const routes = new Hono<CallerEnv>()
  routes.use('/metrics', requireCaller(authenticate))
  routes.get('/metrics', async (c) => {
    if (c.var.caller.userId !== LOCAL_USER) throw new HttpRefusal(403, 'Metrics are for the user local.')
    return c.body(await metrics.expose(), 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' })
  })
  return routes
}
