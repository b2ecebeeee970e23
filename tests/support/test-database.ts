import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import type { ServerDatabase } from './databases.ts'

/** A new database on the PostgreSQL server of this run. */
export async function createTestDatabase(): Promise<ServerDatabase> {
  const server = inject('postgresUrl')
  const name = `test_${randomBytes(6).toString('hex')}`
  await query(server, `CREATE DATABASE ${name}`)
  return {
    url: server.replace(/\/postgres$/, `/${name}`),
    drop: async () => void (await query(server, `DROP DATABASE ${name} WITH (FORCE)`)),
  }
}

/** As a superuser. Several statements have no values, and no rows. */
export async function query(
  url: string,
  text: string,
  values?: readonly unknown[],
): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text, values && [...values])).rows
  } finally {
    await client.end()
  }
}
