import type { HttpBindings } from '@hono/node-server'
import { createMiddleware } from 'hono/factory'
import type { AuthOutcome, Authenticate } from '../auth/authenticate.ts'
import type { Caller } from '../auth/caller.ts'
import { HttpRefusal } from './http-refusal.ts'

export interface CallerEnv {
  Bindings: HttpBindings
  Variables: { caller: Caller }
}

export const requireCaller = (authenticate: Authenticate) =>
  createMiddleware<CallerEnv>(async (c, next) => {
    const outcome = await authenticate(c.env.incoming)
    if (outcome.type === 'refused') refuse(outcome)
    c.set('caller', outcome.caller)
    await next()
  })

export function refuse(outcome: Extract<AuthOutcome, { type: 'refused' }>): never {
  const headers: Record<string, string> = {}
  if (outcome.status === 401) headers['WWW-Authenticate'] = 'Bearer'
  if (outcome.status === 429) headers['Retry-After'] = String(outcome.retryAfterS)
  throw new HttpRefusal(outcome.status, outcome.error, headers)
}
