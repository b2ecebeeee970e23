import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { z } from 'zod'
import type { AccessPolicy } from '../http/access-policy.ts'
import type { ClientAddress } from '../http/client-address.ts'
import { HttpRefusal } from '../http/http-refusal.ts'
import { readJsonBody } from '../http/read-json-body.ts'
import { refuse } from '../http/refuse-caller.ts'
import type { Redactor } from '../log/redactor.ts'
import type { Authenticate } from './authenticate.ts'
import { browserName } from './browser-name.ts'
import type { FailureLimit } from './failure-limit.ts'
import type { FoundKey, KeyRing } from './key-ring.ts'
import { scopeOf } from './authenticate.ts'
import { expiredSessionCookie, sessionCookie } from './session-cookie.ts'
import type { SignInCodes } from './sign-in-codes.ts'

const signIn = z.object({ code: z.string().min(1).max(100).optional(), key: z.string().trim().max(512).optional() })

export interface SignInDeps {
  readonly keys: KeyRing
  readonly codes: SignInCodes
  readonly failures: FailureLimit
  readonly policy: Pick<AccessPolicy, 'isSameOrigin' | 'isSecure'>
  readonly authenticate: Authenticate
  readonly addressOf: ClientAddress
  readonly redactor: Pick<Redactor, 'learnPassing'>
  /** The title of the OpenID provider, if there is one. */
  readonly provider?: string
}

/**
 * A one-time code or an API key becomes a cookie. The code travels in the link's fragment, which browsers do not send.
 * The key is typed by its user; it is not kept in the browser.
 */
export function createSignInRoutes(deps: SignInDeps): Hono<{ Bindings: HttpBindings }> {
  const { keys, codes, failures, policy, authenticate, addressOf, redactor } = deps
  const routes = new Hono<{ Bindings: HttpBindings }>()

  routes.get('/signin/methods', (c) => {
    const { provider } = deps
    return c.json({ code: true, key: true, ...(provider !== undefined && { oidc: { title: provider } }) })
  })

  routes.post('/signin', async (c) => {
    if (!policy.isSameOrigin(c.env.incoming)) throw new HttpRefusal(403, 'Sign in from our own page.')
    const { code, key } = await readJsonBody(c, signIn)
    const secret = code ?? key
    if (secret === undefined || (code !== undefined && key !== undefined)) {
      throw new HttpRefusal(400, 'Send either `code` or `key`.')
    }
    redactor.learnPassing(secret)
    const found = code === undefined ? await findApiKey(secret, keys) : undefined
    const userId = code === undefined ? found?.userId : await codes.redeem(secret)
    if (userId === undefined) refuseWrong(code === undefined ? 'key' : 'code', addressOf(c.env.incoming), failures)
    const scope = scopeOf(c.env.incoming, policy)
    const name = browserName(c.req.header('user-agent'))
    const { plain } = await keys.createSignIn(userId, { name, host: scope.host, ...(found && { keyId: found.id }) })
    redactor.learnPassing(plain)
    return c.json({ user: userId }, 200, { 'Set-Cookie': sessionCookie(plain, scope) })
  })

  routes.post('/signout', async (c) => {
    const outcome = await authenticate(c.env.incoming)
    if (outcome.type === 'refused') return refuse(outcome)
    const { via, keyId, userId } = outcome.caller
    if (via === 'cookie') await keys.revoke(keyId, userId)
    return c.body(null, 204, { 'Set-Cookie': expiredSessionCookie(scopeOf(c.env.incoming, policy)) })
  })
  return routes
}

async function findApiKey(plain: string, keys: Pick<KeyRing, 'find'>): Promise<FoundKey | undefined> {
  const found = await keys.find(plain)
  return found?.kind === 'api' ? found : undefined
}

const WRONG = {
  code: 'This link was used before or has expired. Make a new one with `polylogue link`.',
  key: 'No such key. It was mistyped or revoked.',
}

/** Counted by address. A good code or key never comes here. */
function refuseWrong(secret: 'code' | 'key', address: string, failures: FailureLimit): never {
  const retryAfterS = failures.retryAfter(address)
  if (retryAfterS > 0) {
    throw new HttpRefusal(429, `Too many wrong ${secret}s from this address.`, { 'Retry-After': String(retryAfterS) })
  }
  failures.record(address)
  throw new HttpRefusal(401, WRONG[secret])
}
