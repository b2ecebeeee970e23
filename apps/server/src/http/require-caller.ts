import type { HttpBindings } from '@hono/node-server'
import { createMiddleware } from 'hono/factory'
import type { Authenticate } from '../auth/authenticate.ts'
import type { Caller } from '../auth/caller.ts'
import { refuse } from './refuse-caller.ts'

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
