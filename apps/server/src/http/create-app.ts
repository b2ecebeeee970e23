import type { HttpBindings } from '@hono/node-server'
import type { RandomBytes } from '@polylogue/engine'
import { Hono } from 'hono'
import type { Log } from '../log.ts'
import type { Phase } from '../phase.ts'
import { createErrorAnswer } from './answer-error.ts'
import type { Door } from './door.ts'
import type { HttpApp } from './request-listener.ts'

export interface AppDeps {
  readonly phase: () => Phase
  readonly log: Log
  readonly random: RandomBytes
  readonly doors: readonly Door[]
}

/** These answer in every phase. */
const ALWAYS_OPEN = new Set(['/healthz', '/readyz', '/api/polylogue/status'])

/** All routes of one listener. */
export function createApp({ phase, log, random, doors }: AppDeps): HttpApp {
  const app = new Hono<{ Bindings: HttpBindings }>()
  app.onError(createErrorAnswer({ log, random }))
  app.notFound((c) => c.json({ error: 'Not found' }, 404))

  app.use(async (c, next) => {
    if (phase() !== 'ready' && !ALWAYS_OPEN.has(c.req.path)) {
      const error = phase() === 'starting' ? 'The server is starting.' : 'The server is shutting down.'
      return c.json({ error }, 503, { 'Retry-After': '2', Connection: 'close' })
    }
    // A stream has no end to leave out, so HEAD is for pages and probes.
    if (c.req.method === 'HEAD' && /^\/(?:aap|api)\//.test(c.req.path)) return c.json({ error: 'Use GET.' }, 405)
    await next()
  })

  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  app.get('/readyz', (c) => (phase() === 'ready' ? c.json({ status: 'ready' }) : c.json({ status: phase() }, 503)))
  for (const door of doors) app.route(door.path, door.app)
  return app
}
