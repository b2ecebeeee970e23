import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inject } from 'vitest'
import { requireTool } from '../../house/require-tool.ts'
import { findAccount } from '../../house/start-postgres.ts'
import type { ServerDatabase } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { query } from '../../support/test-database.ts'
import { findFreePort } from './start-nginx.ts'

export interface StartedPgbouncer {
  /** A database of a role that is no superuser, through the pooler and past it. */
  createDatabase(): Promise<Required<ServerDatabase>>
  /** The same address, as a superuser. */
  asSuperuser(url: string): string
  stop(): Promise<void>
}

/** Each transaction gets another of a few connections. */
const CONNECTIONS = 4

/** pgbouncer in front of the PostgreSQL server of this run, in transaction mode. */
export async function startPgbouncer(): Promise<StartedPgbouncer> {
  const folder = await createTempDir()
  const server = new URL(inject('postgresUrl'))
  const role = `pooled_${randomBytes(6).toString('hex')}`
  await query(server.href, `CREATE ROLE ${role} LOGIN`)
  const port = await findFreePort()
  const file = join(folder.path, 'pgbouncer.ini')
  const users = join(folder.path, 'users.txt')
  await writeFile(users, `"${role}" ""\n"postgres" ""\n`)
  await writeFile(
    file,
    `[databases]
* = host=${server.hostname} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${CONNECTIONS}
max_client_conn = 500
server_round_robin = 1
`,
  )
  // It refuses to run as root.
  await chmod(folder.path, 0o755)
  const child = spawn(requireTool('pgbouncer', 'pgbouncer'), [file], {
    ...findAccount(),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-10_000)))
  const through = (address: string): string => {
    const url = new URL(address)
    url.port = String(port)
    return url.href
  }
  const answers = (): Promise<true | undefined> =>
    query(through(server.href), 'SELECT 1').then(
      () => true as const,
      () => undefined,
    )
  await eventually(answers, 'pgbouncer answers').catch((error: unknown) => {
    throw new Error(`pgbouncer does not answer: ${said}`, { cause: error })
  })
  return {
    async createDatabase() {
      const name = `test_${randomBytes(6).toString('hex')}`
      await query(server.href, `CREATE DATABASE ${name} OWNER ${role}`)
      const direct = new URL(server)
      direct.username = role
      direct.pathname = `/${name}`
      return {
        url: `${through(direct.href)}?prepare=off`,
        directUrl: direct.href,
        drop: async () => void (await query(server.href, `DROP DATABASE ${name} WITH (FORCE)`)),
      }
    },
    asSuperuser(url) {
      const other = new URL(url)
      other.username = 'postgres'
      return other.href
    },
    async stop() {
      if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit')
      await query(server.href, `DROP ROLE ${role}`)
      await folder.remove()
    },
  }
}
