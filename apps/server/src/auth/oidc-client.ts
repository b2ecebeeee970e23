import type { Configuration } from 'openid-client'
import { FLOW_LIFETIME_MS, type OidcFlow } from './oidc-flow-cookie.ts'
import { isThisMachine, type OidcSettings } from './oidc-schema.ts'
import type { Claims } from './oidc-user.ts'

/** Signs a browser in at an OpenID provider: authorization code with PKCE. */
export interface OidcClient {
  /** Where to send the browser, and what its return is checked against. Rejects if the provider does not answer. */
  begin(redirectUri: string): Promise<{ readonly url: URL; readonly flow: OidcFlow }>
  /** The claims about the person. `returned` is the address the browser came back to. Rejects if anything is wrong. */
  finish(returned: URL, flow: OidcFlow): Promise<Claims>
}

export interface OidcClientDeps {
  readonly env: { readonly [name: string]: string | undefined }
  now(): number
}

export function createOidcClient(settings: OidcSettings, { env, now }: OidcClientDeps): OidcClient {
  const { issuer, clientId, clientSecretEnv, scopes, claim } = settings
  const secret = settings.clientSecret ?? (clientSecretEnv === undefined ? undefined : env[clientSecretEnv])
  let known: Promise<Configuration> | undefined
  /** Asked once. A provider that did not answer is asked again. */
  const discover = async (): Promise<Configuration> => {
    // Loaded when somebody signs in: most servers have no provider.
    const { allowInsecureRequests, discovery, None } = await import('openid-client')
    const url = new URL(issuer)
    const execute = isThisMachine(url.hostname) && url.protocol === 'http:' ? [allowInsecureRequests] : []
    known ??= discovery(url, clientId, secret, secret === undefined ? None() : undefined, { execute, timeout: 10 })
    try {
      return await known
    } catch (error) {
      known = undefined
      throw error
    }
  }
  return {
    async begin(redirectUri) {
      const oidc = await import('openid-client')
      const configuration = await discover()
      const verifier = oidc.randomPKCECodeVerifier()
      const flow: OidcFlow = {
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        verifier,
        redirectUri,
        expiresAt: now() + FLOW_LIFETIME_MS,
      }
      const url = oidc.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: scopes.join(' '),
        state: flow.state,
        nonce: flow.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      return { url, flow }
    },

    async finish(returned, { state, nonce, verifier, redirectUri }) {
      const oidc = await import('openid-client')
      const configuration = await discover()
      // A proxy may have changed the address; the provider knows the one that the flow began with.
      const address = new URL(redirectUri)
      address.search = returned.search
      const tokens = await oidc.authorizationCodeGrant(configuration, address, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      const claims: Claims = { ...tokens.claims() }
      if (typeof claims['sub'] !== 'string' || claims[claim] !== undefined) return claims
      // Many providers put only the subject into the token.
      return { ...claims, ...(await oidc.fetchUserInfo(configuration, tokens.access_token, claims['sub'])) }
    },
  }
}
