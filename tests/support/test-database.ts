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
    drop: () => query(server, `DROP DATABASE ${name} WITH (FORCE)`),
  }
}

export async function query(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}
