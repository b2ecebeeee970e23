import { ServerResponse, type OutgoingHttpHeader, type OutgoingHttpHeaders } from 'node:http'

/** On every answer, pages and streams alike. A page loads nothing but our own files and talks to nobody but us. */
const HEADERS: readonly (readonly [string, string])[] = [
  [
    'Content-Security-Policy',
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
      "manifest-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
  ['Referrer-Policy', 'no-referrer'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Cache-Control', 'no-store'],
  ['Vary', 'Origin'],
]

type Given = OutgoingHttpHeaders | OutgoingHttpHeader[]

/**
 * An answer that has the security headers, unless a route gives its own. They are joined when the head is written: set
 * one by one before that, Node would keep them with the answer, which for an idle stream is a tenth of its memory.
 */
export class SecuredResponse extends ServerResponse {
  override writeHead(status: number, reason?: string, headers?: Given): this
  override writeHead(status: number, headers?: Given): this
  override writeHead(status: number, second?: string | Given, third?: Given): this {
    if (typeof second === 'string') return super.writeHead(status, second, withSecurityHeaders(this, third))
    return super.writeHead(status, withSecurityHeaders(this, second))
  }
}

function withSecurityHeaders(outgoing: ServerResponse, given: Given = {}): Given {
  if (Array.isArray(given)) {
    for (const [name, value] of HEADERS) if (!outgoing.hasHeader(name)) outgoing.setHeader(name, value)
    return given
  }
  const names = new Set(Object.keys(given).map((name) => name.toLowerCase()))
  const headers: OutgoingHttpHeaders = {}
  for (const [name, value] of HEADERS) {
    if (!names.has(name.toLowerCase()) && !outgoing.hasHeader(name)) headers[name] = value
  }
  return Object.assign(headers, given)
}
