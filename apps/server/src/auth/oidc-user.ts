import type { UserId, UserRole } from '@polylogue/engine'
import { toUserId } from '../users/users.ts'
import { LOCAL_USER } from './key-ring.ts'
import type { OidcSettings } from './oidc-schema.ts'

export type OidcUser =
  /** Without a role, the user keeps the one that it has. */
  | { readonly type: 'user'; readonly userId: UserId; readonly role?: UserRole }
  /** The sentence is for the person who tried to sign in. */
  | { readonly type: 'refused'; readonly sentence: string }

export type Claims = { readonly [name: string]: unknown }

/** Finds the user that the claims of an id token stand for. */
export function findOidcUser(claims: Claims, settings: OidcSettings): OidcUser {
  const { claim, users, admins } = settings
  const value = claims[claim]
  if (typeof value !== 'string' || value === '') {
    return refused(`Your account has no ${claim}, which this server needs to know who you are.`)
  }
  // Providers let people enter any address, and say so.
  if (claim === 'email' && claims['email_verified'] !== true) {
    return refused('Your provider has not verified your e-mail address.')
  }
  const fold = (text: string): string => (claim === 'email' ? foldAscii(text) : text)
  const key = fold(value)
  const mapped = Object.entries(users).find(([text]) => fold(text) === key)?.[1]
  const userId = mapped === undefined ? findByDomain(key, settings) : toUserId(mapped)
  if (userId === undefined) return refused('No user of this server belongs to your account. Ask its operator.')
  if (admins.length === 0) return { type: 'user', userId }
  return { type: 'user', userId, role: admins.some((admin) => fold(admin) === key) ? 'admin' : 'user' }
}

/** Only `users` can name the operator, and a name that it gives to one account belongs to no other. */
function findByDomain(key: string, { claim, users, domain }: OidcSettings): UserId | undefined {
  if (claim !== 'email' || domain === undefined || !key.endsWith(`@${domain}`)) return undefined
  const userId = toUserId(key.slice(0, -domain.length - 1))
  return userId === LOCAL_USER || Object.values(users).some((taken) => taken === userId) ? undefined : userId
}

/** Other letters stay: the Kelvin sign, for one, has a `k` as its small letter, and two mailboxes would be one user. */
const foldAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

const refused = (sentence: string): OidcUser => ({ type: 'refused', sentence })
