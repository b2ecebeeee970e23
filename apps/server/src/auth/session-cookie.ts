/** The browser's sign-in. Its value is as good as a key, so scripts cannot read it and other sites cannot send it. */
const NAME = 'polylogue_session'
const MAX_AGE_S = 30 * 24 * 60 * 60
const ATTRIBUTES = 'Path=/; HttpOnly; SameSite=Strict'

export function readSessionCookie(header: string | undefined): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const [name, value] = pair.trim().split('=', 2)
    if (name === NAME && value !== undefined && value !== '') return value
  }
  return undefined
}

export function sessionCookie(value: string, options: { readonly secure: boolean }): string {
  return `${NAME}=${value}; Max-Age=${MAX_AGE_S}; ${ATTRIBUTES}${options.secure ? '; Secure' : ''}`
}

export function expiredSessionCookie(): string {
  return `${NAME}=; Max-Age=0; ${ATTRIBUTES}`
}
