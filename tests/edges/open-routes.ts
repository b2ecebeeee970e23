import type { Route } from './edge-server.ts'

const OPEN = new Set([
  'GET /healthz',
  'GET /readyz',
  'GET /',
  'GET /signin',
  'POST /signin',
  'GET /signin/methods',
  'GET /openapi.json',
])
const OPEN_BELOW =
  /^GET \/(?:assets\/|icon\.svg$|s\/|inbox$|sessions$|usage$|schedules|manage(?:\/|$)|settings$|connect$|docs|api\/(?:version|health)\/?$)/

/**
 * Asked without a key by design: health, the version, the documentation, the console with what it loads, and the sign-in
 * itself.
 */
export function isOpen({ method, path }: Route): boolean {
  return OPEN.has(`${method} ${path}`) || OPEN_BELOW.test(`${method} ${path}`)
}
