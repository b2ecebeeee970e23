import type { Route } from './edge-server.ts'

const OPEN = new Set(['GET /healthz', 'GET /readyz', 'GET /', 'GET /signin', 'POST /signin'])

/** Asked without a key by design: health, the page with what it loads, and the sign-in itself. */
export function isOpen({ method, path }: Route): boolean {
  return OPEN.has(`${method} ${path}`) || (method === 'GET' && path.startsWith('/page/'))
}
