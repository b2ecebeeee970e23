/**
 * The browser's sign-in. Its value is as good as a key, so scripts cannot read it and other sites cannot send it. Browsers
 * send a cookie to every port of its host; the port in the name keeps servers on one host apart.
 */
const NAME = 'polylogue_session'
/** With this prefix a browser accepts the cookie over HTTPS only, and from no other host of our domain. */
const SECURE_NAME = `__Host-${NAME}`
/** The longest that a browser keeps it; the server ends a sign-in earlier. */
const MAX_AGE_S = 30 * 24 * 60 * 60
const ATTRIBUTES = 'Path=/; HttpOnly; SameSite=Strict'

/** Where the browser sent its request. */
export interface CookieScope {
  /** The browser came over HTTPS. */
  readonly secure: boolean
  /** The `Host` line. */
  readonly host: string
}

export function readSessionCookie(header: string | undefined, scope: CookieScope): string | undefined {
  const pairs = new Map<string, string>()
  for (const pair of header?.split(';') ?? []) {
    const [name = '', value = ''] = pair.trim().split('=', 2)
    if (value !== '' && !pairs.has(name)) pairs.set(name, value)
  }
  // Over HTTPS only the name counts that another host of our domain cannot set.
  return pairs.get(SECURE_NAME) ?? (scope.secure ? undefined : pairs.get(nameFor(scope)))
}

export function sessionCookie(value: string, scope: CookieScope): string {
  return toCookie(value, MAX_AGE_S, scope)
}

export function expiredSessionCookie(scope: CookieScope): string {
  return toCookie('', 0, scope)
}

function toCookie(value: string, maxAgeS: number, scope: CookieScope): string {
  const cookie = `${nameFor(scope)}=${value}; Max-Age=${maxAgeS}; ${ATTRIBUTES}`
  return scope.secure ? `${cookie}; Secure` : cookie
}

const nameFor = ({ secure, host }: CookieScope): string =>
  secure ? SECURE_NAME : `${NAME}_${/:(\d{1,5})$/.exec(host)?.[1] ?? '80'}`
