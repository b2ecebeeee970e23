import { Hono } from 'hono'
import type { Authenticate } from '../auth/authenticate.ts'
import { requireCaller, type CallerEnv } from '../http/require-caller.ts'
import type { Phase } from '../phase.ts'
import type { Confinement } from '../platform/confinement.ts'

export interface ServerStatus extends Confinement {
  readonly pid: number
  readonly version: string
  readonly phase: Phase
  readonly url?: string
  readonly startedAt: number
  readonly agents: readonly string[]
  readonly defaultAgent: string
  readonly doors: readonly string[]
}

export function createStatusRoutes(status: () => ServerStatus, authenticate: Authenticate): Hono<CallerEnv> {
  const routes = new Hono<CallerEnv>()
  routes.use('/status', requireCaller(authenticate))
  routes.get('/status', (c) => c.json(status()))
  routes.use('/me', requireCaller(authenticate))
  routes.get('/me', (c) => {
    const { userId, via, keyId } = c.var.caller
    return c.json({ user: userId, via, keyId: via === 'owner-socket' ? undefined : keyId })
  })
  return routes
}
