import { StorageFault } from '@polylogue/engine'

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const DISK_FULL = '53100'
/** A statement that another connection prepared, or that this one did. */
const LOST_STATEMENT: ReadonlySet<string> = new Set(['26000', '42P05'])
export const NO_PREPARED_STATEMENTS =
  'The pooler loses prepared statements: add ?prepare=off to --database, or let the pooler keep them (max_prepared_statements of pgbouncer 1.21).'
/** A role without rights, a password that was changed, a database that was dropped. */
const REFUSED = /^(?:42501|28...|3D000)$/
const REPEATABLE: ReadonlySet<string> = new Set(['40001', '40P01'])
/** Too many connections, a server that starts or stops, a statement or a lock that took too long. */
const UNAVAILABLE: ReadonlySet<string> = new Set([
  '53300',
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '57014',
  '55P03',
  '25P03',
])
const SYSTEM_ERRORS: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
  'ENOENT',
])
/** The driver's own errors carry no code. */
const LOST =
  /connection terminated|query read timeout|timeout exceeded|timeout expired|client has encountered a connection error|not queryable|client was closed/i

/** Two transactions conflicted. Repeating the transaction helps. */
export const isRepeatable = (error: unknown): boolean => REPEATABLE.has(codeOf(error) ?? '')

/** The connection failed or was lost. It is unknown whether the statement took effect. */
export function isLost(error: unknown): boolean {
  const code = codeOf(error)
  if (code === undefined) return error instanceof Error && LOST.test(error.message)
  return code.startsWith('08') || SYSTEM_ERRORS.has(code) || code === '57P01' || code === '57P02' || code === '57P03'
}

/** A pooler has changed the connection, and does not keep the statements that were prepared on it. */
export const isLostStatement = (error: unknown): boolean => LOST_STATEMENT.has(codeOf(error) ?? '')

/** The fault, or the error itself when it is a bug: a wrong statement, a violated constraint. */
export function toFault(error: unknown): unknown {
  if (error instanceof StorageFault) return error
  const code = codeOf(error) ?? ''
  if (code === DISK_FULL) {
    return new StorageFault('full', 'The disk of the database is full: nothing was stored.', { cause: error })
  }
  if (isLostStatement(error)) return new StorageFault('broken', NO_PREPARED_STATEMENTS, { cause: error })
  if (isLost(error) || UNAVAILABLE.has(code) || isRepeatable(error)) {
    return new StorageFault('busy', 'The database does not answer at the moment.', { cause: error })
  }
  if (code.startsWith('XX') || code.startsWith('58') || code === '53200' || code === '25006' || REFUSED.test(code)) {
    const reason = error instanceof Error ? error.message : String(error)
    return new StorageFault('broken', `The database cannot be used: ${reason}.`, { cause: error })
  }
  return error
}

export function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError) return codeOf(error.errors[0])
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
