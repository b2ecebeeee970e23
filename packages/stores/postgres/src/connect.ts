import { StorageFault } from '@polylogue/engine'
import pg from 'pg'
import { toClientConfig } from './database.ts'
import { isLost, toFault } from './postgres-fault.ts'

/** Connects for one piece of work. Rejects with one sentence when the database cannot be reached. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connect(url)
  try {
    return await work(client)
  } catch (error) {
    throw toFault(error)
  } finally {
    await client.end().catch(() => undefined)
  }
}

export async function connect(url: string): Promise<pg.Client> {
  try {
    const client = new pg.Client(toClientConfig({ url }))
    // The next statement reports the error.
    client.on('error', () => undefined)
    await client.connect()
    return client
  } catch (error) {
    const reason = withoutSecrets(url, error instanceof Error ? error.message || String(error) : String(error))
    const message = `The database ${nameOf(url)} cannot be reached: ${reason}.`
    throw new StorageFault(isLost(error) ? 'busy' : 'broken', message, { cause: error })
  }
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
