import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

/** A real OpenID provider on this machine. Whatever somebody types as login becomes `login@example.com`. */
export interface IdentityProvider {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  close(): Promise<void>
}

/**
 * Logins that begin with `unverified` have an address that the provider has not checked. A login that is JSON is the claims
 * themselves: a provider can say anything.
 */
const findAccount = (_context: unknown, accountId: string) => ({
  accountId,
  claims: () => ({
    sub: accountId,
    email: accountId.includes('@') ? accountId : `${accountId}@example.com`,
    email_verified: !accountId.startsWith('unverified'),
    ...(accountId.startsWith('{') && (JSON.parse(accountId) as object)),
  }),
})

/** `redirectUri` must be known before: providers take no other. */
export async function startIdentityProvider(redirectUri: string): Promise<IdentityProvider> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const issuer = `http://127.0.0.1:${port}`
  const [clientId, clientSecret] = ['polylogue', 'a-secret-of-the-client']
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    pkce: { required: () => true },
    cookies: { keys: ['a key for tests'] },
    findAccount,
  })
  server.on('request', provider.callback())
  return {
    issuer,
    clientId,
    clientSecret,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
