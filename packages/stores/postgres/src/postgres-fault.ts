import { StorageFault } from '@polylogue/engine'

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const DISK_FULL = '53100'
/** A statement that another connection prepared, or that this one did. */
const LOST_STATEMENT: ReadonlySet<string> = new Set(['26000', '42P05'])
export const NO_PREPARED_STATEMENTS =
  'The pooler loses prepared statements: add ?prepare=off to --database, or let the pooler keep them (max_prepared_statements of pgbouncer 1.21).'
/** A role without rights, a password that was changed, a database that is being or was dropped. */
const REFUSED = /^(?:42501|28...|3D000|57P04)$/
const REPEATABLE: ReadonlySet<string> = new Set(['40001', '40P01'])
/** Too many connections or locks, a statement or a lock that took too long. */
const UNAVAILABLE: ReadonlySet<string> = new Set(['53000', '53300', '53400', '57014', '55P03'])
/** PostgreSQL has closed the connection: it stops, starts or recovers, or a connection was idle for too long. */
const CLOSED: ReadonlySet<string> = new Set(['57P01', '57P02', '57P03', '57P05', '25P03', '25P04'])
/** Node's own, of a stream that has ended. */
const ENDED = /^ERR_(?:STREAM|SOCKET)_/
/** Errors of the system, such as ECONNRESET and ENOTFOUND, name the call that failed. */
const isOfSystem = (error: Error): boolean => 'syscall' in error
/** The driver's own errors carry no code. */
const LOST =
  /connection terminated|query read timeout|timeout exceeded|timeout expired|client has encountered a connection error|not queryable|client was closed/i

/** Two transactions conflicted. Repeating the transaction helps. */
export const isRepeatable = (error: unknown): boolean => REPEATABLE.has(codeOf(error) ?? '')

/** Somebody has locked what the statement needs. Nothing of it took effect. */
export const isLocked = (error: unknown): boolean => codeOf(error) === '55P03'

/** The statement took too long, or somebody has cancelled it. Nothing of it took effect. */
export const isCancelled = (error: unknown): boolean => codeOf(error) === '57014'

/** The connection failed or was lost. It is unknown whether the statement took effect. */
export function isLost(error: unknown): boolean {
  const first = firstOf(error)
  const code = codeOf(error)
  if (!(first instanceof Error)) return false
  if (code === undefined) return LOST.test(first.message)
  return code.startsWith('08') || CLOSED.has(code) || ENDED.test(code) || isOfSystem(first)
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
    return unusable(error)
  }
  return error
}

/** Nothing was asked yet, so it cannot be a bug: a certificate that has expired, a server that speaks another language. */
export function toConnectFault(error: unknown): StorageFault {
  const fault = toFault(error)
  return fault instanceof StorageFault ? fault : unusable(error)
}

function unusable(error: unknown): StorageFault {
  const reason = error instanceof Error ? error.message : String(error)
  return new StorageFault('broken', `The database cannot be used: ${reason}.`, { cause: error })
}

/** A host with several addresses has an error for each. */
const firstOf = (error: unknown): unknown => (error instanceof AggregateError ? error.errors[0] : error)

export function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError) return codeOf(error.errors[0])
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
