import type { IncomingMessage } from 'node:http'
import type { AccessPolicy } from '../http/access-policy.ts'
import type { ClientAddress } from '../http/client-address.ts'
import type { Redactor } from '../log/redactor.ts'
import type { Caller } from './caller.ts'
import type { FailureLimit } from './failure-limit.ts'
import type { KeyRing } from './key-ring.ts'
import { readSessionCookie } from './session-cookie.ts'

/** The one way in, for every door and every kind of connection. */
export type Authenticate = (incoming: IncomingMessage) => Promise<AuthOutcome>

export type AuthOutcome =
  | { readonly type: 'caller'; readonly caller: Caller }
  | { readonly type: 'refused'; readonly status: 401 | 403 | 415; readonly error: string }
  | { readonly type: 'refused'; readonly status: 429; readonly error: string; readonly retryAfterS: number }

export interface AuthenticateDeps {
  readonly keys: KeyRing
  readonly failures: FailureLimit
  readonly policy: Pick<AccessPolicy, 'isSameOrigin' | 'isSecure'>
  readonly addressOf: ClientAddress
  readonly redactor: Pick<Redactor, 'learnPassing'>
}

/** An `Authorization` line is the only thing that counts when there is one: two slots would be two ways around. */
export function createAuthenticate(deps: AuthenticateDeps): Authenticate {
  const { keys, failures, policy, addressOf, redactor } = deps
  return async (incoming) => {
    const { authorization, cookie } = incoming.headers
    const signIn =
      authorization === undefined ? readSessionCookie(cookie, { secure: policy.isSecure(incoming) }) : undefined
    const refusal = signIn === undefined ? undefined : refuseForeignCookie(incoming, policy)
    if (refusal !== undefined) return refusal
    const plain = signIn ?? bearerToken(authorization)
    // Nothing shown is not a failure: a browser's first look and a probe end here.
    if (plain === undefined) return UNAUTHORIZED
    redactor.learnPassing(plain)

    const address = addressOf(incoming)
    const retryAfterS = failures.retryAfter(address)
    if (retryAfterS > 0) return { type: 'refused', status: 429, error: 'Too many wrong keys from here.', retryAfterS }
    const found = await keys.find(plain)
    const kind = signIn === undefined ? 'api' : 'browser'
    if (found?.kind !== kind) {
      failures.record(address)
      return UNAUTHORIZED
    }
    const via = kind === 'api' ? 'key' : 'cookie'
    return { type: 'caller', caller: { userId: found.userId, via, keyId: found.id, revoked: found.revoked } }
  }
}

/** What was shown opens nothing. */
export const UNAUTHORIZED = { type: 'refused', status: 401, error: 'Unauthorized' } as const satisfies AuthOutcome

function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
}

/** A cookie is sent by the browser, whoever made it send. Only our own page may act with it. */
function refuseForeignCookie(
  incoming: IncomingMessage,
  policy: Pick<AccessPolicy, 'isSameOrigin'>,
): AuthOutcome | undefined {
  const { headers, method } = incoming
  const reads = method === 'GET' || method === 'HEAD'
  const site = headers['sec-fetch-site']
  const own = headers.origin === undefined ? reads && site === 'same-origin' : policy.isSameOrigin(incoming)
  if (!own || site === 'cross-site') {
    return { type: 'refused', status: 403, error: 'A sign-in works on our own page only. Use an API key.' }
  }
  if (!reads && !/^application\/json\b/i.test(headers['content-type'] ?? '')) {
    return { type: 'refused', status: 415, error: 'Send application/json.' }
  }
  return undefined
}
