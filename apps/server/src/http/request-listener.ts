import { getRequestListener, type HttpBindings } from '@hono/node-server'
import type { Hono } from 'hono'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { AccessPolicy } from './access-policy.ts'
import { sendPreflight, setCorsHeaders } from './cors.ts'
import { refusalBody } from './refusal-body.ts'
import { beginTrail, type RequestTrail } from './request-trail.ts'
import { sendJson } from './send-json.ts'
import { cutWhenStalled } from './stalled-answer.ts'

/** Longer than any pause of a client that means to go on reading. */
const STALLED_MS = 30_000

export type HttpApp = Hono<{ Bindings: HttpBindings }>

/** Called when the answer has left, or when nobody is there any more to take it. */
export type RequestObserver = (trail: RequestTrail, incoming: IncomingMessage, outgoing: ObservedAnswer) => void

export type ObservedAnswer = Pick<ServerResponse, 'headersSent' | 'statusCode' | 'writableFinished'>

export interface RequestListenerDeps {
  readonly policy: Pick<AccessPolicy, 'judge'>
  readonly ended: RequestObserver
  /** A protocol that answers its requests itself. */
  readonly direct?: DirectRoute
}

export interface DirectRoute {
  /** All paths that begin so. */
  readonly path: string
  handle(incoming: IncomingMessage, outgoing: ServerResponse): void
}

/** What happens to a request before any route sees it. */
export function createRequestListener(app: HttpApp, { policy, ended, direct }: RequestListenerDeps): RequestListener {
  const route = getRequestListener((request, bindings) => app.fetch(request, bindings))
  return (incoming, outgoing) => {
    const trail = beginTrail(incoming)
    // Not `once`: it happens once anyway, and open streams are many.
    outgoing.on('close', () => ended(trail, incoming, outgoing))
    cutWhenStalled(outgoing, STALLED_MS)
    const verdict = policy.judge(incoming)
    if (!verdict.allowed) {
      trail.route = 'refused'
      // Its body is not worth reading, so the connection cannot be used again.
      outgoing.shouldKeepAlive = false
      sendJson(outgoing, verdict.status, refusalBody(incoming.url ?? '', verdict.error))
      return
    }
    if (verdict.crossOrigin !== undefined) setCorsHeaders(outgoing, verdict.crossOrigin)
    if (incoming.method === 'OPTIONS' && incoming.headers['access-control-request-method'] !== undefined) {
      trail.route = 'preflight'
      sendPreflight(outgoing)
      return
    }
    if (direct !== undefined && `${incoming.url?.split('?', 1)[0] ?? ''}/`.startsWith(direct.path)) {
      trail.route = direct.path
      direct.handle(incoming, outgoing)
      return
    }
    void route(incoming, outgoing)
  }
}
