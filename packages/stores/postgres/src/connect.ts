import { StorageFault } from '@polylogue/engine'
import pg from 'pg'
import { toClientConfig, type DatabaseOptions } from './database.ts'
import { codeOf, isLost, toFault } from './postgres-fault.ts'

/** Connects for one piece of work. Rejects with one sentence when the database cannot be reached. */
export async function withClient<T>(to: string | ClientOptions, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connect(to)
  try {
    return await work(client)
  } catch (error) {
    throw toFault(error)
  } finally {
    await client.end().catch(() => undefined)
  }
}

export const POOLED =
  'A pooler such as pgbouncer answers in place of the database: name the database itself with --database-direct.'

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
    const reason = withoutSecrets(url, reasonOf(error))
    const message = `The database ${nameOf(url)} cannot be reached: ${reason}.${whatHelps(error)}`
    throw new StorageFault(isLost(error) ? 'busy' : 'broken', message, { cause: error })
  }
}

const NOBODY: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN'])
const NO_DATABASE = '3D000'

function whatHelps(error: unknown): string {
  const code = codeOf(error) ?? ''
  if (NOBODY.has(code)) return ' Start PostgreSQL, or correct the host and the port.'
  return code === NO_DATABASE ? ' Create it with createdb, or correct its name.' : ''
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message || String(error) : String(error)
  return /client password must be a/.test(text)
    ? 'it asks for a password, and there is none in the URL, in PGPASSWORD or in ~/.pgpass'
    : text
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

/** An error may quote the password, or the name of a key file. */
function withoutSecrets(url: string, text: string): string {
  const { password, searchParams } = new URL(url)
  const secrets = [password, decodeURIComponent(password), ...searchParams.values()].filter((secret) => secret !== '')
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, '***'), text)
}
