import { Hono, type Context } from 'hono'
import { WebFiles } from './web-files.ts'

/** Everything from our own files, nothing inline, nobody around it. Scripts cannot be made of text. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types polylogue',
].join('; ')

/** The screens of the console. One document serves them all; its script reads the address. */
const SCREENS = [
  '/',
  '/s/:id',
  '/s/:id/doors',
  '/inbox',
  '/sessions',
  '/usage',
  '/schedules',
  '/schedules/:id',
  '/manage',
  '/manage/:what',
  '/settings',
  '/connect',
  '/signin',
] as const

const NOT_BUILT = 'The console is not built. Start the server with `npm start`, which builds it.\n'

interface WebRoutesDeps {
  readonly files?: WebFiles
  /** Whether a protocol owns the path: its refusals are in its own words. */
  readonly isOfDoor: (path: string) => boolean
}

const isNavigation = (method: string, accept = ''): boolean => method === 'GET' && /\btext\/html\b/.test(accept)

/** The web console, from its built files in `apps/web/dist`. */
export function createWebRoutes({ files = new WebFiles(), isOfDoor }: WebRoutesDeps): Hono {
  const routes = new Hono()
  for (const screen of SCREENS) {
    routes.get(screen, (c) => serve(c, 'index.html', 'no-store'))
  }
  routes.get('/icon.svg', (c) => serve(c, 'icon.svg', 'public, max-age=3600'))
  // A wrong address in a browser gets the console's own page for it. Programs, and paths of doors, get JSON.
  routes.use('*', async (c: Context, next) => {
    await next()
    if (c.res.status !== 404 || !isNavigation(c.req.method, c.req.header('accept')) || isOfDoor(c.req.path)) return
    const page = await serve(c, 'index.html', 'no-store')
    if (page.ok) c.res = new Response(page.body, { status: 404, headers: page.headers })
  })
  // Names hold a hash of their content.
  routes.get('/assets/:name', (c) => serve(c, `assets/${c.req.param('name')}`, 'public, max-age=31536000, immutable'))
  return routes

  async function serve(c: Context, name: string, cacheControl: string): Promise<Response> {
    const file = await files.find(name)
    if (file === undefined) return name === 'index.html' ? c.text(NOT_BUILT, 503) : c.json({ error: 'Not found' }, 404)
    const { body, gzipped, type } = file
    const isGzipped = gzipped !== undefined && /\bgzip\b/.test(c.req.header('accept-encoding') ?? '')
    return c.body(isGzipped ? gzipped : body, 200, {
      'content-type': type,
      // On every file, because a worker obeys the policy of its own.
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': cacheControl,
      vary: 'Accept-Encoding, Origin',
      ...(isGzipped && { 'content-encoding': 'gzip' }),
    })
  }
}
