import type { HttpBindings } from '@hono/node-server'
import { asSessionId, type Engine } from '@polylogue/engine'
import { Hono } from 'hono'
import { z } from 'zod'
import { scopeOf } from '../auth/authenticate.ts'
import { embedCookie, embedHost } from '../auth/embed-cookie.ts'
import type { KeyRing } from '../auth/key-ring.ts'
import type { SignInCodes } from '../auth/sign-in-codes.ts'
import { embedCodeOf } from '../auth/sign-in-link.ts'
import type { AccessPolicy } from '../http/access-policy.ts'
import { HttpRefusal } from '../http/http-refusal.ts'
import { readJsonBody } from '../http/read-json-body.ts'
import type { Redactor } from '../log/redactor.ts'
import { CONTENT_SECURITY_POLICY } from './web-routes.ts'
import { WebFiles } from './web-files.ts'

export interface EmbedDeps {
  /** The pages that may show a session. None: sessions are not embedded. */
  readonly hosts: readonly string[]
  readonly engine: Pick<Engine, 'readSession'>
  readonly keys: KeyRing
  readonly codes: SignInCodes
  readonly policy: Pick<AccessPolicy, 'isSameOrigin' | 'isSecure'>
  readonly redactor: Pick<Redactor, 'learnPassing'>
}

const body = z.object({ code: z.string().min(1).max(100) })

/** One session inside a page of a listed host, over HTTPS. A one-time code becomes a cookie for this session alone. */
export function createEmbedRoutes(deps: EmbedDeps, files = new WebFiles()): Hono<{ Bindings: HttpBindings }> {
  const { hosts, engine, keys, codes, policy, redactor } = deps
  const routes = new Hono<{ Bindings: HttpBindings }>()
  if (hosts.length === 0) return routes
  const framed = CONTENT_SECURITY_POLICY.replace("frame-ancestors 'none'", `frame-ancestors ${hosts.join(' ')}`)

  routes.get('/embed/:id', async (c) => {
    const file = await files.find('index.html')
    if (file === undefined) return c.text('The console is not built.\n', 503)
    return c.body(file.body, 200, {
      'content-type': file.type,
      'content-security-policy': framed,
      // Older browsers know nothing finer. Those that read the policy ignore it.
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
  })

  routes.get('/embed/:id/hosts', (c) => c.json({ hosts }))

  routes.post('/embed/:id/signin', async (c) => {
    const { incoming } = c.env
    if (!policy.isSameOrigin(incoming)) throw new HttpRefusal(403, 'Sign in from our own page.')
    const scope = scopeOf(incoming, policy)
    if (!scope.secure) throw new HttpRefusal(403, 'A session is embedded over HTTPS only. See --public-url.')
    const { code } = await readJsonBody(c, body)
    redactor.learnPassing(code)
    const sessionId = asSessionId(c.req.param('id'))
    const userId = await codes.redeem(code, embedCodeOf(sessionId))
    if (userId === undefined) throw new HttpRefusal(401, 'This link was used before or has expired.')
    await engine.readSession(userId, sessionId)
    const name = `Embedded session ${sessionId}`
    const { plain } = await keys.createSignIn(userId, { name, host: embedHost(sessionId, scope.host) })
    redactor.learnPassing(plain)
    return c.json({ hosts }, 200, { 'Set-Cookie': embedCookie(plain) })
  })
  return routes
}
