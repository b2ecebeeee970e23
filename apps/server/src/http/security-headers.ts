import type { ServerResponse } from 'node:http'

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

export function setSecurityHeaders(outgoing: ServerResponse): void {
  for (const [name, value] of HEADERS) outgoing.setHeader(name, value)
}
