// A PostgreSQL server in a temporary directory, on the disk that temporary files use.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { findFreePort } from './free-port.ts'

export interface TempPostgres {
  /** Of a superuser without password, and of the database `postgres`. */
  readonly url: string
  stop(): Promise<void>
}

/** `undefined` when this machine has no PostgreSQL server. */
export async function startTempPostgres(): Promise<TempPostgres | undefined> {
  const programs = findPrograms()
  if (programs === undefined) return undefined
  const directory = mkdtempSync(join(tmpdir(), 'polylogue-bench-postgres-'))
  const account = findAccount()
  if (account !== undefined) chownSync(directory, account.uid, account.gid)
  const data = join(directory, 'data')
  const made = spawnSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C'],
    { ...account, cwd: directory, encoding: 'utf8' },
  )
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || String(made.error)}`)
  const port = await findFreePort()
  const flags = ['-D', data, '-p', String(port), '-k', directory, '-c', 'listen_addresses=127.0.0.1']
  const server = spawn(join(programs, 'postgres'), flags, {
    ...account,
    cwd: directory,
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
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async stop() {
      // SIGQUIT: at once, without waiting for clients. The data is removed anyway.
      if (server.exitCode === null && server.kill('SIGQUIT')) await once(server, 'exit')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** From PATH, else from where Debian puts them. */
function findPrograms(): string | undefined {
  const debian = globSync('/usr/lib/postgresql/*/bin').sort().toReversed()
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...debian]
  return folders.find((folder) => ['initdb', 'postgres'].every((program) => existsSync(join(folder, program))))
}

/** PostgreSQL refuses to run as root. */
function findAccount(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const accounts = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = accounts.find((line) => line.startsWith(`${name}:`))?.split(':') ?? []
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) }
  }
  return undefined
}
