/** The browser's sign-in. Its value is as good as a key, so scripts cannot read it and other sites cannot send it. */
const NAME = 'polylogue_session'
/** With this prefix a browser takes the cookie over HTTPS only, and from nobody else under our domain. */
const SECURE_NAME = `__Host-${NAME}`
const MAX_AGE_S = 30 * 24 * 60 * 60
const ATTRIBUTES = 'Path=/; HttpOnly; SameSite=Strict'

/** `secure`: the browser came over HTTPS, so only the name counts that another site under our domain cannot set. */
export function readSessionCookie(header: string | undefined, { secure }: { secure: boolean }): string | undefined {
  const pairs = new Map<string, string>()
  for (const pair of header?.split(';') ?? []) {
    const [name = '', value = ''] = pair.trim().split('=', 2)
    if (value !== '' && !pairs.has(name)) pairs.set(name, value)
  }
  return pairs.get(SECURE_NAME) ?? (secure ? undefined : pairs.get(NAME))
}

export function sessionCookie(value: string, { secure }: { readonly secure: boolean }): string {
  const lifetime = `Max-Age=${MAX_AGE_S}; ${ATTRIBUTES}`
  return secure ? `${SECURE_NAME}=${value}; ${lifetime}; Secure` : `${NAME}=${value}; ${lifetime}`
}

export function expiredSessionCookie({ secure }: { readonly secure: boolean }): string {
  return secure ? `${SECURE_NAME}=; Max-Age=0; ${ATTRIBUTES}; Secure` : `${NAME}=; Max-Age=0; ${ATTRIBUTES}`
}
