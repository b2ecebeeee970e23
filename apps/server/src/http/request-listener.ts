import { getRequestListener, type HttpBindings } from '@hono/node-server'
import type { Hono } from 'hono'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { RefusalWords } from '../doors/find-door.ts'
import type { AccessPolicy } from './access-policy.ts'
import { sendPreflight, setCorsHeaders } from './cors.ts'
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
  readonly words: RefusalWords
  readonly ended: RequestObserver
  readonly direct: readonly DirectRoute[]
}

/** Requests that are answered on Node's own objects, without the router. */
export interface DirectRoute {
  /** Ends with a slash. All paths that begin with it. */
  readonly path: string
  handle(incoming: IncomingMessage, outgoing: ServerResponse): void
}

/** What happens to a request before any route sees it. */
export function createRequestListener(app: HttpApp, deps: RequestListenerDeps): RequestListener {
  const { policy, words, ended, direct } = deps
  const route = getRequestListener((request, bindings) => app.fetch(request, bindings))
  return (incoming, outgoing) => {
    const trail = beginTrail(incoming)
    // Not `once`: it happens once anyway, and open streams are many.
    outgoing.on('close', () => ended(trail, incoming, outgoing))
    cutWhenStalled(outgoing, STALLED_MS)
    const verdict = policy.judge(incoming)
    if (!verdict.allowed) {
      trail.route = 'refused'
      // The body stays unread, so the connection cannot be used again.
      outgoing.shouldKeepAlive = false
      const { status, error: message } = verdict
      sendJson(outgoing, status, words(incoming.url ?? '', { status, message }))
      return
    }
    if (verdict.crossOrigin !== undefined) setCorsHeaders(outgoing, verdict.crossOrigin)
    if (incoming.method === 'OPTIONS' && incoming.headers['access-control-request-method'] !== undefined) {
      trail.route = 'preflight'
      sendPreflight(outgoing)
      return
    }
    const path = `${incoming.url?.split('?', 1)[0] ?? ''}/`
    const taker = direct.find((candidate) => path.startsWith(candidate.path))
    if (taker !== undefined) {
      trail.route = taker.path
      taker.handle(incoming, outgoing)
      return
    }
    void route(incoming, outgoing)
  }
}
