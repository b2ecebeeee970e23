import type { ServerResponse } from 'node:http'

/** Only for listed origins. Credentials are never allowed, because a cookie works for our own page only. */
export function setCorsHeaders(outgoing: ServerResponse, origin: string): void {
  outgoing.setHeader('Access-Control-Allow-Origin', origin)
  outgoing.setHeader('Access-Control-Expose-Headers', 'retry-after, idempotency-key')
}

export function sendPreflight(outgoing: ServerResponse): void {
  outgoing.setHeader('Access-Control-Allow-Methods', 'GET, POST, PUT, PATCH, DELETE')
  outgoing.setHeader('Access-Control-Allow-Headers', 'authorization, content-type, idempotency-key, last-event-id')
  outgoing.setHeader('Access-Control-Max-Age', '600')
  outgoing.writeHead(204)
  outgoing.end()
}
