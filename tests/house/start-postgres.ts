// Starts a PostgreSQL server for a test run, in a temporary directory, and removes it afterwards.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { findOnPath, requireTool } from './require-tool.ts'

export interface StartedPostgres {
  /** Of a superuser without password, and of the database `postgres`. */
  readonly url: string
  readonly directory: string
  readonly process: ChildProcess
  stop(): Promise<void>
}

interface Account {
  readonly uid: number
  readonly gid: number
}

export interface PostgresOptions {
  /** The folder of the programs. Absent: from PATH, else Debian's. */
  readonly programs?: string
  readonly settings?: readonly string[]
}

/** The databases of a whole run of the tests, with their logs, take less than half of it. */
const ROOM_NEEDED = 3 * 1024 ** 3

export async function startPostgres({
  programs = findPrograms(),
  settings = [],
}: PostgresOptions = {}): Promise<StartedPostgres> {
  const directory = mkdtempSync(join(findQuickFolder(), 'polylogue-postgres-'))
  const account = findAccount()
  if (account !== undefined) chownSync(directory, account.uid, account.gid)
  const data = join(directory, 'data')
  const made = spawnSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...account, cwd: directory, encoding: 'utf8' },
  )
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || String(made.error)}`)
  const port = await findFreePort()
  const server = await launch(join(programs, 'postgres'), [data, port, directory, settings], account)
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    directory,
    process: server,
    async stop() {
      // SIGQUIT: at once, without waiting for clients. The data is removed anyway.
      if (server.exitCode === null && server.kill('SIGQUIT')) await once(server, 'exit')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Memory, if there is enough: servers refuse a database without fsync, and the disk of a test machine may be very slow. */
function findQuickFolder(): string {
  const memory = '/dev/shm'
  if (!existsSync(memory)) return tmpdir()
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize >= ROOM_NEEDED ? memory : tmpdir()
}

type Launch = readonly [data: string, port: number, sockets: string, settings: readonly string[]]

export async function launch(
  program: string,
  [data, port, sockets, settings]: Launch,
  account?: Account,
): Promise<ChildProcess> {
  const options = ['max_connections=200', 'listen_addresses=127.0.0.1', ...settings].flatMap((setting) => [
    '-c',
    setting,
  ])
  const server = spawn(program, ['-D', data, '-p', String(port), '-k', sockets, ...options], {
    ...account,
    cwd: sockets,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  await new Promise<void>((resolve, reject) => {
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-10_000)
      if (said.includes('ready to accept connections')) resolve()
    })
    server.once('exit', () => reject(new Error(`PostgreSQL ended: ${said}`)))
    server.once('error', reject)
  })
  return server
}

/** PostgreSQL refuses to run as root. */
export function findAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const accounts = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = accounts.find((line) => line.startsWith(`${name}:`))?.split(':') ?? []
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) }
  }
  return undefined
}

/** Debian does not put the programs of the server on PATH. */
export function findPrograms(): string {
  const onPath = findOnPath('initdb')
  if (onPath !== undefined && existsSync(join(dirname(onPath), 'postgres'))) return dirname(onPath)
  const findDebian = (tool: string): string | undefined => globSync(`/usr/lib/postgresql/*/bin/${tool}`).sort().at(-1)
  return dirname(findDebian('initdb') ?? requireTool('initdb', 'postgresql', { find: findDebian }))
}

async function findFreePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}
