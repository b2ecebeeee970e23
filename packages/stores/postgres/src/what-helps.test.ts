import { expect, it } from 'vitest'
import { whatHelps } from './what-helps.ts'

const coded = (code: string, more: object = {}): Error => Object.assign(new Error('x'), { code, ...more })

it.each([
  ['a wrong password', coded('28P01'), 'its password'],
  ['a role that may not log in', coded('28000'), 'pg_hba.conf'],
  ['a database that does not exist', coded('3D000'), 'createdb'],
  ['a right that lacks', coded('42501'), 'GRANT CREATE ON DATABASE'],
  ['a schema that somebody made before', coded('42P06'), 'drop it'],
  ['a standby', coded('25006'), 'the primary'],
  ['too few connections', coded('53300'), 'max_connections'],
  ['a database that starts', coded('57P03'), 'Try again'],
  ['a closed port', coded('ECONNREFUSED'), 'the host and the port'],
  ['several addresses that refuse', new AggregateError([coded('ECONNREFUSED')]), 'the host and the port'],
  ['a socket that is not there', coded('ENOENT', { syscall: 'connect' }), 'the host and the port'],
  ['a file that cannot be read', coded('ENOENT', { syscall: 'open' }), 'the path in the URL'],
  ['a network that swallows everything', new Error('timeout expired'), 'firewall'],
  ['a server without TLS', new Error('The server does not support SSL connections'), 'remove sslmode'],
  ['a certificate of an unknown authority', coded('SELF_SIGNED_CERT_IN_CHAIN'), 'sslrootcert'],
  ['a certificate of another host', coded('ERR_TLS_CERT_ALTNAME_INVALID'), 'sslrootcert'],
])('says what to do about %s', (_name, error, help) => {
  expect(whatHelps(error)).toMatch(/^ [A-Z].*\.$/)
  expect(whatHelps(error)).toContain(help)
})

it('says nothing about what it does not know', () => {
  expect(whatHelps(coded('XX000'))).toBe('')
  expect(whatHelps('no error')).toBe('')
})
