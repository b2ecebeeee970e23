import type { IncomingMessage } from 'node:http'
import type { AccessPolicy } from '../http/access-policy.ts'
import type { ClientAddress } from '../http/client-address.ts'
import type { Redactor } from '../log/redactor.ts'
import type { Caller } from './caller.ts'
import { mayEmbed, readEmbedCookie, sessionOfEmbed } from './embed-cookie.ts'
import type { FailureLimit } from './failure-limit.ts'
import type { KeyRing } from './key-ring.ts'
import { readSessionCookie, type CookieScope } from './session-cookie.ts'

/** Finds out who sent a request, for every door and every kind of connection. */
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

/** If there is an `Authorization` line, nothing else counts. */
export function createAuthenticate(deps: AuthenticateDeps): Authenticate {
  const { keys, failures, policy, addressOf, redactor } = deps
  return async (incoming) => {
    const { authorization, cookie } = incoming.headers
    const scope = scopeOf(incoming, policy)
    const embedded = authorization === undefined && scope.secure ? readEmbedCookie(cookie) : undefined
    if (embedded !== undefined && readSessionCookie(cookie, scope) === undefined) {
      return authenticateEmbedded(incoming, embedded, deps)
    }
    const signIn = authorization === undefined ? readSessionCookie(cookie, scope) : undefined
    const refusal = signIn === undefined ? undefined : refuseForeignCookie(incoming, policy)
    if (refusal !== undefined) return refusal
    const plain = signIn ?? bearerToken(authorization)
    // A request without a key, such as a browser's first one or a probe, is not a failure.
    if (plain === undefined) return UNAUTHORIZED
    redactor.learnPassing(plain)
    const found = await keys.find(plain)
    const isGood = signIn === undefined ? found?.kind === 'api' : found?.signIn?.host === scope.host
    if (found === undefined || !isGood) return refuseWrongKey(addressOf(incoming), failures)
    const { id: keyId, userId, revoked, signIn: { isRecent } = { isRecent: true } } = found
    const via = signIn === undefined ? 'key' : 'cookie'
    return { type: 'caller', caller: { userId, via, keyId, mayMakeKeys: isRecent, revoked } }
  }
}

/** The sign-in of a page inside another one. Whatever that page does not need is refused. */
async function authenticateEmbedded(
  incoming: IncomingMessage,
  plain: string,
  { keys, failures, policy, addressOf, redactor }: AuthenticateDeps,
): Promise<AuthOutcome> {
  const refusal = refuseForeignCookie(incoming, policy)
  if (refusal !== undefined) return refusal
  redactor.learnPassing(plain)
  const found = await keys.find(plain)
  const onlySession = sessionOfEmbed(found?.signIn?.host, scopeOf(incoming, policy).host)
  if (found === undefined || onlySession === undefined) return refuseWrongKey(addressOf(incoming), failures)
  if (!mayEmbed(incoming, onlySession)) {
    return { type: 'refused', status: 403, error: 'An embedded page sees its own session only.' }
  }
  const { id: keyId, userId, revoked } = found
  return { type: 'caller', caller: { userId, via: 'cookie', keyId, mayMakeKeys: false, onlySession, revoked } }
}

/** Where a browser sent this request. */
export function scopeOf(
  incoming: Pick<IncomingMessage, 'headers'>,
  policy: Pick<AccessPolicy, 'isSecure'>,
): CookieScope {
  return { secure: policy.isSecure(incoming), host: incoming.headers.host?.toLowerCase() ?? '' }
}

/** Counted by address. A good key never comes here: behind a proxy many people share an address. */
function refuseWrongKey(address: string, failures: FailureLimit): AuthOutcome {
  const retryAfterS = failures.retryAfter(address)
  if (retryAfterS > 0) {
    return { type: 'refused', status: 429, error: 'Too many wrong keys from this address.', retryAfterS }
  }
  failures.record(address)
  return UNAUTHORIZED
}

/** The key or sign-in is wrong. */
export const UNAUTHORIZED = { type: 'refused', status: 401, error: 'Unauthorized' } as const satisfies AuthOutcome

function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
}

/** A browser sends a cookie whoever caused the request. Only our own page may act with it. */
function refuseForeignCookie(
  incoming: IncomingMessage,
  policy: Pick<AccessPolicy, 'isSameOrigin'>,
): AuthOutcome | undefined {
  const { headers, method } = incoming
  const reads = method === 'GET' || method === 'HEAD'
  const site = headers['sec-fetch-site']
  const own = headers.origin === undefined ? reads && site === 'same-origin' : policy.isSameOrigin(incoming)
  if (!own || site === 'cross-site') {
    return { type: 'refused', status: 403, error: 'A browser sign-in works on our own page only. Use an API key.' }
  }
  if (!reads && !/^application\/json\b/i.test(headers['content-type'] ?? '')) {
    return { type: 'refused', status: 415, error: 'Send application/json.' }
  }
  return undefined
}
