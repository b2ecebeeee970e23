import type { HttpBindings } from '@hono/node-server'
import type { SecretBox } from '@polylogue/engine'
import { Hono, type Context } from 'hono'
import type { AccessPolicy } from '../http/access-policy.ts'
import type { Log } from '../log/log.ts'
import type { Redactor } from '../log/redactor.ts'
import type { Users } from '../users/users.ts'
import { scopeOf } from './authenticate.ts'
import { browserName } from './browser-name.ts'
import type { KeyRing } from './key-ring.ts'
import type { OidcClient } from './oidc-client.ts'
import { endedFlowCookie, flowCookie, readFlowCookie } from './oidc-flow-cookie.ts'
import type { OidcSettings } from './oidc-schema.ts'
import { findOidcUser } from './oidc-user.ts'
import { sessionCookie } from './session-cookie.ts'

export interface OidcDeps {
  readonly settings: OidcSettings
  readonly client: OidcClient
  readonly keys: Pick<KeyRing, 'createSignIn'>
  readonly users: Pick<Users, 'add' | 'changeRole'>
  readonly box: SecretBox
  readonly policy: Pick<AccessPolicy, 'isSecure'>
  /** The public address of the server, if it has one. */
  readonly publicUrl: string | undefined
  readonly redactor: Pick<Redactor, 'learnPassing'>
  readonly log: Pick<Log, 'warn'>
  now(): number
}

const CALLBACK = '/signin/oidc/callback'

/** Signs a browser in at the configured OpenID provider. */
export function createOidcRoutes(deps: OidcDeps): Hono<{ Bindings: HttpBindings }> {
  const { settings, client, keys, users, box, policy, publicUrl, redactor, log, now } = deps
  const routes = new Hono<{ Bindings: HttpBindings }>()

  routes.get('/signin/oidc', async (c) => {
    const scope = scopeOf(c.env.incoming, policy)
    const address = publicUrl?.replace(/(?<!\/)\/+$/, '') ?? `http://${scope.host}`
    try {
      const { url, flow } = await client.begin(`${address}${CALLBACK}`)
      return c.body(null, 302, { Location: url.href, 'Set-Cookie': flowCookie(flow, box, scope), ...PRIVATE })
    } catch (error) {
      log.warn({ err: error }, 'the OpenID provider does not answer')
      return page(c, 502, `${settings.title} does not answer. Try again later.`)
    }
  })

  routes.get(CALLBACK, async (c) => {
    const scope = scopeOf(c.env.incoming, policy)
    const flow = readFlowCookie(c.req.header('cookie'), { box, now: now() }, scope)
    c.header('Set-Cookie', endedFlowCookie(scope))
    if (flow === undefined) return page(c, 400, 'This sign-in took too long, or began in another browser. Try again.')
    const found = await client.finish(new URL(c.req.url), flow).then(
      (claims) => findOidcUser(claims, settings),
      (error: unknown) => {
        log.warn({ err: error }, 'a sign-in at the OpenID provider failed')
        return { type: 'refused', sentence: `${settings.title} did not sign you in. Try again.` } as const
      },
    )
    if (found.type === 'refused') return page(c, 403, found.sentence)
    const { userId, role } = found
    const isNew = await users.add(userId, role ?? 'user')
    if (!isNew && role !== undefined) await users.changeRole(userId, role)
    const name = browserName(c.req.header('user-agent'))
    const { plain } = await keys.createSignIn(userId, { name, host: scope.host })
    redactor.learnPassing(plain)
    c.header('Set-Cookie', sessionCookie(plain, scope), { append: true })
    // Relative to the callback: a proxy may serve us below a path.
    return c.body(null, 303, { Location: '../../', ...PRIVATE })
  })
  return routes
}

const PRIVATE = { 'Cache-Control': 'no-store' }

function page(c: Context, status: 400 | 403 | 502, sentence: string): Response {
  const text = sentence.replaceAll(/[&<>"]/g, (letter) => `&#${letter.codePointAt(0)};`)
  const html = `<!doctype html><meta charset="utf-8"><title>Polylogue</title><p>${text}</p><p><a href="/">Back to the sign-in page</a></p>`
  return c.html(html, status, PRIVATE)
}
