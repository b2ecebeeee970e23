import { StorageFault } from '@polylogue/engine'
import pg from 'pg'
import { toClientConfig, type DatabaseOptions } from './database.ts'
import { codeOf, isLost, toFault } from './postgres-fault.ts'
import { whatHelps } from './what-helps.ts'

/** Connects for one piece of work. Rejects with one sentence when the database cannot be reached. */
export async function withClient<T>(to: string | ClientOptions, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connect(to)
  try {
    return await work(client)
  } catch (error) {
    throw toHelpfulFault(error)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Whoever starts a server reads it, and not a client. */
export function toHelpfulFault(error: unknown): unknown {
  if (error instanceof StorageFault) return error
  const fault = toFault(error)
  if (!(fault instanceof StorageFault)) {
    const help = whatHelps(error)
    return help === ''
      ? fault
      : new StorageFault('broken', `The database cannot be used: ${textOf(error)}.${help}`, { cause: error })
  }
  const reason = isFull(error) ? 'The database has no connection left for this process.' : fault.message
  return new StorageFault(fault.kind, `${reason}${whatHelps(error)}`, { cause: error })
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message || String(error) : String(error))
const isFull = (error: unknown): boolean => codeOf(error) === '53300'

export const POOLED =
  'A pooler such as pgbouncer answers in place of the database: name the database itself with --database-direct.'

/** For a transaction that reads everything: other limits are those of requests. */
export const UNHURRIED = 'SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL statement_timeout = 0'

type ClientOptions = Pick<DatabaseOptions, 'url' | 'isPooled'>

export async function connect(to: string | ClientOptions): Promise<pg.Client> {
  const options = typeof to === 'string' ? { url: to } : to
  const { url } = options
  let client: pg.Client | undefined
  try {
    client = new pg.Client(toClientConfig(options))
    // The next statement reports the error.
    client.on('error', () => undefined)
    await client.connect()
    return client
  } catch (error) {
    // Not every failure closes the connection, and an open one keeps the process alive.
    void client?.end().catch(() => undefined)
    // pgbouncer refuses the settings of a connection.
    if (/unsupported startup parameter/.test(String(error))) throw new StorageFault('broken', POOLED, { cause: error })
    const reason = withoutSecrets(url, reasonOf(error, url))
    const message = `The database ${nameOf(url)} cannot be reached: ${reason}.${whatHelps(error)}`
    throw new StorageFault(isLost(error) ? 'busy' : 'broken', message, { cause: error })
  }
}

function reasonOf(error: unknown, url: string): string {
  const text = textOf(error)
  if (/client password must be a/.test(text))
    return 'it asks for a password, and there is none in the URL, in PGPASSWORD or in ~/.pgpass'
  if (!(error instanceof Error && 'path' in error)) return text
  // The name of a key file is nobody's business, so the option stands for it.
  const [option] = [...new URL(url).searchParams].find(([, value]) => value === error.path) ?? []
  return option === undefined ? text : `the file of ${option} cannot be read (${codeOf(error)})`
}

/** The server process of a connection, as it was told at the start. A pooler tells an id of its own. */
export function processIdOf(client: pg.Client): unknown {
  // The driver's types do not name it.
  return Reflect.get(client, 'processID')
}

/** A host and a database. */
export function nameOf(url: string): string {
  const { host, pathname, searchParams } = new URL(url)
  return `${host || (searchParams.get('host') ?? 'localhost')}${pathname}`
}

/** Options that say nothing confidential. Others may name key files or contain a password. */
export const PUBLIC_OPTIONS: ReadonlySet<string> = new Set(['host', 'port', 'user', 'sslmode', 'prepare'])

/** An error may quote the password, or the name of a key file. */
function withoutSecrets(url: string, text: string): string {
  const { password, searchParams } = new URL(url)
  const options = [...searchParams].filter(([name]) => !PUBLIC_OPTIONS.has(name)).map(([, value]) => value)
  const secrets = [password, decodeURIComponent(password), ...options].filter((secret) => secret !== '')
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, '***'), text)
}
