import { z } from 'zod'

/** `signIn.oidc` in a configuration file. */
export const oidcSchema = z.strictObject({
  /** The provider's address. Its settings are discovered there. */
  issuer: z.string().refine((text) => isIssuer(text), 'must be an https address, or http on this machine'),
  clientId: z.string().min(1).max(500),
  clientSecret: z.string().min(1).max(2000).optional(),
  /** The environment variable that holds the client secret. Without a secret the client is public. */
  clientSecretEnv: z.string().min(1).optional(),
  /** For the button: "Sign in with …". */
  title: z.string().min(1).max(60).default('single sign-on'),
  scopes: z.array(z.string().regex(/^[!-~]+$/)).default(['openid', 'email']),
  /** The claim that tells who signed in. */
  claim: z.string().min(1).max(100).default('email'),
  /** Users by the value of the claim. They need not exist before. */
  users: z.record(z.string().min(1).max(320), z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)).default({}),
  /** Everybody with an address of this domain is the user named before the `@`. For the claim `email`. */
  domain: z
    .string()
    .regex(/^[a-z0-9.-]+\.[a-z]{2,}$/, 'must be a domain such as example.com')
    .optional(),
  /** Values of the claim whose users are admins. If set, each sign-in sets the role by it. */
  admins: z.array(z.string().min(1)).default([]),
})

export type OidcSettings = z.infer<typeof oidcSchema>

/** Tokens must not travel in clear text, except on this machine. */
function isIssuer(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || url.username !== '' || url.search !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isThisMachine(url.hostname))
}

export const isThisMachine = (hostname: string): boolean => /^(?:127\.0\.0\.1|localhost|\[::1\])$/.test(hostname)
