import { codeOf } from './postgres-fault.ts'

/** What an operator does about an error, by the codes of PostgreSQL, of the system and of TLS. */
const BY_CODE: readonly (readonly [RegExp, string])[] = [
  [/^(?:ECONNREFUSED|ENOENT|ENOTFOUND|EAI_AGAIN)$/, 'Start PostgreSQL, or correct the host and the port.'],
  [/^28P01$/, 'Correct the role, or its password in the URL, in PGPASSWORD or in ~/.pgpass.'],
  [/^28/, 'Correct the role, let it log in, or admit it and this machine in pg_hba.conf.'],
  [/^3D000$/, 'Create it with createdb, or correct its name.'],
  [
    /^42501$/,
    'The role must be allowed to make schemas (GRANT CREATE ON DATABASE … TO …) and own those that it has made.',
  ],
  [/^42P06$/, 'The first start makes it: drop it if it is empty.'],
  [/^25006$/, 'Name the primary, or a database that the role may write to.'],
  [/^53300$/, 'Raise max_connections or the CONNECTION LIMIT of the role, or stop other programs: a node needs 15.'],
  [/^57P03$/, 'Try again when it is ready.'],
  [
    /^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ECONNRESET)$/,
    'Correct the host and the port, or let the firewall pass them.',
  ],
  [
    /^(?:CERT_|ERR_TLS_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_)/,
    'Name the authority with sslrootcert=FILE, and the host as the certificate names it.',
  ],
]

/** The driver's own errors carry no code. */
const BY_TEXT: readonly (readonly [RegExp, string])[] = [
  [/timeout expired|terminated/, 'Correct the host and the port, or let the firewall pass them.'],
  [/does not support SSL/, 'Turn ssl on in postgresql.conf, or remove sslmode from the URL.'],
  [/no PostgreSQL user name/, 'Name the role in the URL: postgres://USER@HOST/DATABASE.'],
]

/** A sentence that follows another, or nothing. */
export function whatHelps(error: unknown): string {
  if (isOpening(error)) return FILE
  const code = codeOf(error)
  const text = error instanceof Error ? error.message : ''
  const known = code === undefined ? BY_TEXT : BY_CODE
  const found = known.find(([pattern]) => pattern.test(code ?? text))
  return found === undefined ? '' : ` ${found[1]}`
}

const FILE = ' Correct the path in the URL.'

const isOpening = (error: unknown): boolean => error instanceof Error && 'syscall' in error && error.syscall === 'open'
