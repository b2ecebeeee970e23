import { describe, expect, it } from 'vitest'
import { findOidcUser, type Claims } from './oidc-user.ts'
import { oidcSchema, type OidcSettings } from './oidc-schema.ts'

const settingsOf = (more: object): OidcSettings =>
  oidcSchema.parse({ issuer: 'https://id.example', clientId: 'c', ...more })
const byEmail = settingsOf({
  domain: 'kite.example',
  users: { 'robert@kite.example': 'bob', 'boss@partner.example': 'local' },
})
const bySubject = settingsOf({ claim: 'sub', users: { 's-1': 'anna' } })
const email = (text: unknown, more: Claims = {}): Claims => ({ sub: 's', email: text, email_verified: true, ...more })
const userOf = (claims: Claims, settings = byEmail): string | undefined => {
  const found = findOidcUser(claims, settings)
  return found.type === 'user' ? found.userId : undefined
}

describe('claims of a provider', () => {
  it.each([
    ['anna@kite.example', 'anna'],
    ['ANNA@Kite.EXAMPLE', 'anna'],
    ['robert@kite.example', 'bob'],
    ['boss@partner.example', 'local'],
  ])('make %s the user %s', (text, user) => expect(userOf(email(text))).toBe(user))

  const refused: readonly (readonly [what: string, claims: Claims])[] = [
    ['a name that belongs to a mapped account', email('bob@kite.example')],
    ['the operator', email('local@kite.example')],
    ['the operator in capitals', email('LOCAL@kite.example')],
    ['a Kelvin sign in the domain', email('anna@\u212aite.example')],
    ['a Kelvin sign in the name', email('mar\u212a@kite.example')],
    ['full-width letters', email('\uff41nna@kite.example')],
    ['a zero-width space', email('an\u200bna@kite.example')],
    ['a bidirectional override', email('\u202eanna@kite.example')],
    ['a NUL', email('anna\u0000@kite.example')],
    ['a line feed at the end of the name', email('anna\n@kite.example')],
    ['a line feed at the end', email('anna@kite.example\n')],
    ['an escape sequence', email('\u001b[2Janna@kite.example')],
    ['two addresses', email('anna@kite.example,eve@kite.example')],
    ['an address in a name', email('eve@evil.example@kite.example')],
    ['a quoted name', email('"anna"@kite.example')],
    ['a subaddress', email('anna+eve@kite.example')],
    ['a path', email('../anna@kite.example')],
    ['no name', email('@kite.example')],
    ['a name of a million characters', email(`${'a'.repeat(1_000_000)}@kite.example`)],
    ['a name of 65 characters', email(`${'a'.repeat(65)}@kite.example`)],
    ['a list', email(['anna@kite.example'])],
    ['an object', email({ toString: 'anna@kite.example' })],
    ['a number', email(7)],
    ['nothing', email(null)],
    ['an address that is not verified', email('anna@kite.example', { email_verified: false })],
    ['an address that is verified as a text', email('anna@kite.example', { email_verified: 'true' })],
    ['an address without a word about it', { sub: 's', email: 'anna@kite.example' }],
    ['the name of a prototype', email('__proto__@kite.example')],
    ['a domain that only ends the same', email('eve@evilkite.example')],
  ]
  it.each(refused)('of %s are refused', (_, claims) => expect(userOf(claims)).toBeUndefined())

  it.each(['anna', 'local', 's-1 ', 'S-1', '__proto__', 'constructor', 'toString', ''])(
    'with the subject %j are refused unless it is mapped',
    (sub) => expect(userOf({ sub, name: 'anna', preferred_username: 'local' }, bySubject)).toBeUndefined(),
  )

  it('with a mapped subject are its user, whatever else they say', () => {
    expect(userOf({ sub: 's-1', email: 'local@kite.example', name: '\u202elocal' }, bySubject)).toBe('anna')
  })
})
