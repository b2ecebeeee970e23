import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { z } from 'zod'
import type { AccessPolicy } from '../http/access-policy.ts'
import type { ClientAddress } from '../http/client-address.ts'
import { HttpRefusal } from '../http/http-refusal.ts'
import { readJsonBody } from '../http/read-json-body.ts'
import { refuse } from '../http/require-caller.ts'
import type { Redactor } from '../log/redactor.ts'
import type { Authenticate } from './authenticate.ts'
import type { FailureLimit } from './failure-limit.ts'
import type { KeyRing } from './key-ring.ts'
import { scopeOf } from './authenticate.ts'
import { expiredSessionCookie, sessionCookie } from './session-cookie.ts'
import type { SignInCodes } from './sign-in-codes.ts'

const signIn = z.object({ code: z.string().min(1).max(100) })

export interface SignInDeps {
  readonly keys: KeyRing
  readonly codes: SignInCodes
  readonly failures: FailureLimit
  readonly policy: Pick<AccessPolicy, 'isSameOrigin' | 'isSecure'>
  readonly authenticate: Authenticate
  readonly addressOf: ClientAddress
  readonly redactor: Pick<Redactor, 'learnPassing'>
}

/** A one-time code becomes a cookie. The code travels in the link's fragment, which browsers do not send. */
export function createSignInRoutes(deps: SignInDeps): Hono<{ Bindings: HttpBindings }> {
  const { keys, codes, failures, policy, authenticate, addressOf, redactor } = deps
  const routes = new Hono<{ Bindings: HttpBindings }>()

  routes.post('/signin', async (c) => {
    if (!policy.isSameOrigin(c.env.incoming)) throw new HttpRefusal(403, 'Sign in from our own page.')
    const { code } = await readJsonBody(c, signIn)
    redactor.learnPassing(code)
    const userId = await codes.redeem(code)
    if (userId === undefined) refuseWrongCode(addressOf(c.env.incoming), failures)
    const scope = scopeOf(c.env.incoming, policy)
    const name = browserName(c.req.header('user-agent'))
    const { plain } = await keys.createSignIn(userId, { name, host: scope.host })
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

/** Counted by address. A good code never comes here. */
function refuseWrongCode(address: string, failures: FailureLimit): never {
  const retryAfterS = failures.retryAfter(address)
  if (retryAfterS > 0) {
    throw new HttpRefusal(429, 'Too many wrong codes from this address.', { 'Retry-After': String(retryAfterS) })
  }
  failures.record(address)
  throw new HttpRefusal(401, 'This link was used before or has expired. Restart the server for a new one.')
}

/** For the list of keys, so that users recognise their browsers. */
function browserName(userAgent: string | undefined): string {
  const name = /(Edg|OPR|Firefox|Chrome|Safari)\//.exec(userAgent ?? '')?.[1]
  return name === undefined ? 'Browser' : ({ Edg: 'Edge', OPR: 'Opera' }[name] ?? name)
}
