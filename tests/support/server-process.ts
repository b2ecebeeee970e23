import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type AapClient, createAapClient } from './aap-client.ts'
import type { Dialect } from './aap-dialect.ts'
import { databaseFlags } from './databases.ts'
import { createUserKey } from './owner-socket.ts'

const PROGRAM = fileURLToPath(new URL('../../polylogue', import.meta.url))
const READY_WITHIN_MS = 60_000
const KEPT_OUTPUT = 20_000

export interface ServerProcessOptions {
  readonly dataDir: string
  /** Also the start directory, so that the configuration of the checkout is not used. */
  readonly startDir?: string
  readonly flags?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

/** The real program as a process that tests can kill and restart. */
export interface ServerProcess {
  readonly url: string
  readonly key: string
  /** The server's own pid: the program execs. */
  readonly pid: number
  readonly dataDir: string
  client(dialect: Dialect, key?: string): AapClient
  createKey(user: string): Promise<string>
  /** Sends SIGKILL. Resolves when the process is dead. Idempotent. */
  kill(): Promise<void>
  /** Sends SIGTERM or another signal. Resolves with the exit code, also of a process that has ended already. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
  /** The end of its stderr. */
  readonly output: string
}

/** `polylogue serve --port 0 --json --scripted` on this data directory. Resolves when it is ready. */
export async function startServerProcess(options: ServerProcessOptions): Promise<ServerProcess> {
  const { dataDir, startDir = dataDir, flags = [], environment = {} } = options
  const args = [
    'serve',
    '--port',
    '0',
    '--json',
    '--scripted',
    '--data',
    dataDir,
    ...configIn(startDir, flags),
    ...(await databaseFlags(dataDir, flags)),
    ...flags,
  ]
  const child = spawn(PROGRAM, args, {
    cwd: startDir,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-KEPT_OUTPUT)
  })
  const exited = once(child, 'exit')
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (isAlive(child)) child.kill(signal)
    await exited
    return child.exitCode
  }
  const ready = await readFirstLine(child).catch(async (error: unknown) => {
    await end('SIGKILL')
    throw new Error(`the server did not start: ${output}`, { cause: error })
  })
  const { url, key, pid } = parseReady(ready)

  return {
    url,
    key,
    pid,
    dataDir,
    client: (dialect, otherKey = key) => createAapClient({ url, key: otherKey, dialect }),
    createKey: (user) => createUserKey(dataDir, user),
    async kill() {
      await end('SIGKILL')
    },
    stop: (signal = 'SIGTERM') => end(signal),
    get output() {
      return output
    },
  }
}

/** A named configuration counts as trusted. */
function configIn(directory: string, flags: readonly string[]): readonly string[] {
  if (flags.includes('--config')) return []
  const names = ['ts', 'mts', 'js', 'mjs', 'json'].map((ending) => `polylogue.config.${ending}`)
  const found = names.find((name) => existsSync(join(directory, name)))
  return found === undefined ? [] : ['--config', join(directory, found)]
}

function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null
}

async function readFirstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('no stdout')
  const lines = createInterface({ input: child.stdout })
  const [line] = (await Promise.race([
    once(lines, 'line', { signal: AbortSignal.timeout(READY_WITHIN_MS) }),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`it ended with ${String(code)}`))),
  ])) as [string]
  return line
}

function parseReady(line: string): { readonly url: string; readonly key: string; readonly pid: number } {
  const ready: unknown = JSON.parse(line)
  if (
    typeof ready === 'object' &&
    ready !== null &&
    'url' in ready &&
    typeof ready.url === 'string' &&
    'key' in ready &&
    typeof ready.key === 'string' &&
    'pid' in ready &&
    typeof ready.pid === 'number'
  ) {
    return { url: ready.url, key: ready.key, pid: ready.pid }
  }
  throw new Error(`not a ready line: ${line}`)
}
