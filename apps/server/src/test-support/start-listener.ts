import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { onTestFinished } from 'vitest'
import { createAccessPolicy, type AccessPolicyOptions } from '../http/access-policy.ts'
import type { Door } from '../doors/door.ts'
import { createRefusalWords, refuseWithError } from '../doors/find-door.ts'
import { createAnswerError } from '../http/answer-error.ts'
import { createApp } from '../http/create-app.ts'
import { createHttpServer } from '../http/http-server.ts'
import { createRequestListener, type HttpApp, type QuickLane } from '../http/request-listener.ts'
import { listenOnTcp } from '../http/tcp-listener.ts'
import { silentLog, type Log } from '../log/log.ts'
import type { Phase } from '../phase.ts'

export interface ListenerOptions extends Partial<AccessPolicyOptions> {
  readonly log?: Log
  readonly phase?: () => Phase
  readonly quick?: QuickLane
  /** Adds routes besides the health checks. */
  readonly routes?: (app: HttpApp) => void
  /** Where the routes are a door's; anywhere else they are nobody's. */
  readonly paths?: readonly string[]
}

/** A listener on a free port, with all that stands before the routes. Closed when the test ends. */
export async function startListener(options: ListenerOptions = {}): Promise<{ readonly url: string }> {
  const policy = createAccessPolicy({ host: '127.0.0.1', allowOrigins: [], ...options })
  const routes = new Hono<{ Bindings: HttpBindings }>()
  options.routes?.(routes)
  const door: Door = {
    name: 'test',
    paths: options.paths ?? ['/aap/v3'],
    routes: () => routes,
    refuse: refuseWithError,
    clients: () => [],
    end: async () => undefined,
    close: async () => undefined,
  }
  const words = createRefusalWords([door])
  const phase = options.phase ?? (() => 'ready' as const)
  const answerError = createAnswerError(options.log ?? silentLog, words)
  const app = await createApp({ doors: [door], listener: 'public', answerError, phase })
  const quick = options.quick === undefined ? [] : [options.quick]
  const deps = { policy, words, ended: () => undefined, direct: [], quick, phase, answerError }
  const server = createHttpServer(createRequestListener(async () => app, deps))
  const listener = await listenOnTcp(server, { host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    const closed = listener.close()
    server.closeAllConnections()
    await closed
  })
  return { url: listener.url }
}
