import type { SecretBox } from '@polylogue/engine'
import { z } from 'zod'
import type { CookieScope } from './session-cookie.ts'

/** Between the click and the return from the provider. */
export const FLOW_LIFETIME_MS = 10 * 60_000
const CONTEXT = 'oidc-flow'

/** What the return of a browser is checked against. Sealed: it holds the secret half of PKCE. */
const flow = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  redirectUri: z.string(),
  expiresAt: z.number(),
})
export type OidcFlow = z.infer<typeof flow>

/** `Lax`, because the browser returns from another site. It lives ten minutes. */
export function flowCookie(begun: OidcFlow, box: SecretBox, scope: CookieScope): string {
  const sealed = Buffer.from(box.seal(JSON.stringify(begun), CONTEXT)).toString('base64url')
  return toCookie(sealed, FLOW_LIFETIME_MS / 1000, scope)
}

export const endedFlowCookie = (scope: CookieScope): string => toCookie('', 0, scope)

/** `undefined` for a flow that another server began, or that is too old. */
export function readFlowCookie(
  header: string | undefined,
  { box, now }: { readonly box: SecretBox; readonly now: number },
  scope: CookieScope,
): OidcFlow | undefined {
  const name = nameFor(scope)
  const sealed = header
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1)
  if (sealed === undefined || sealed === '') return undefined
  try {
    const found = flow.parse(JSON.parse(box.open(Buffer.from(sealed, 'base64url'), CONTEXT)))
    return found.expiresAt > now ? found : undefined
  } catch {
    return undefined
  }
}

function toCookie(value: string, maxAgeS: number, scope: CookieScope): string {
  const cookie = `${nameFor(scope)}=${value}; Max-Age=${maxAgeS}; Path=/; HttpOnly; SameSite=Lax`
  return scope.secure ? `${cookie}; Secure` : cookie
}

/** Browsers send a cookie to every port of its host; the port in the name keeps servers on one host apart. */
const nameFor = ({ secure, host }: CookieScope): string =>
  secure ? '__Host-polylogue_oidc' : `polylogue_oidc_${/:(\d{1,5})$/.exec(host)?.[1] ?? '80'}`
