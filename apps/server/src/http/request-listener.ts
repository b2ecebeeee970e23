import { getRequestListener, type HttpBindings } from '@hono/node-server'
import type { Hono } from 'hono'
import type { RequestListener } from 'node:http'
import type { AccessPolicy } from './access-policy.ts'
import { sendPreflight, setCorsHeaders } from './cors.ts'
import { setSecurityHeaders } from './security-headers.ts'
import { sendJson } from './send-json.ts'

export type HttpApp = Hono<{ Bindings: HttpBindings }>

/** What happens to a request before any route sees it. Headers set here are on every answer, raw streams included. */
export function createRequestListener(app: HttpApp, policy: Pick<AccessPolicy, 'judge'>): RequestListener {
  const route = getRequestListener((request, bindings) => app.fetch(request, bindings))
  return (incoming, outgoing) => {
    setSecurityHeaders(outgoing)
    const verdict = policy.judge(incoming)
    if (!verdict.allowed) {
      // Its body is not worth reading, so the connection cannot be used again.
      outgoing.shouldKeepAlive = false
      sendJson(outgoing, verdict.status, { error: verdict.error })
      return
    }
    if (verdict.crossOrigin !== undefined) setCorsHeaders(outgoing, verdict.crossOrigin)
    if (incoming.method === 'OPTIONS' && incoming.headers['access-control-request-method'] !== undefined) {
      sendPreflight(outgoing)
      return
    }
    void route(incoming, outgoing)
  }
}
