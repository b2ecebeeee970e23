import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { PROGRAM } from '../launcher.ts'
import { z } from 'zod'

export interface ChildServer {
  readonly url: URL
  readonly key: string
  /** Other numbers from its first line. */
  readonly facts: Readonly<Record<string, number>>
  /** The time from spawn to the ready line. */
  readonly readyMs: number
  cpuMicros(): Promise<number>
  residentBytes(): Promise<number>
  /** After a full garbage collection. */
  settledBytes(): Promise<number>
  signal(signal: NodeJS.Signals): void
  stop(): Promise<void>
}

const ready = z.object({ url: z.string(), key: z.string().default(''), pid: z.int().optional() }).catchall(z.number())

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

export interface PolylogueOptions {
  /** See `profile-on-signal.ts`. */
  readonly profileTo?: string
  /** The data directory. Default: a new directory, which is removed when the server stops. */
  readonly data?: string
  /** More flags of `serve`. */
  readonly flags?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

/** The real server, as a user starts it, with the agent of `bench.config.ts`. */
export async function startPolylogue({
  profileTo,
  data: given,
  flags = [],
  environment = {},
}: PolylogueOptions = {}): Promise<ChildServer> {
  const data = given ?? (await makeDataDir())
  const config = ['--config', path('./bench.config.ts'), '--data', data]
  const args = ['serve', '--port', '0', '--json', '--scripted', ...config, ...flags]
  const server = await startChild(PROGRAM, args, { environment, ...(profileTo !== undefined && { profileTo }) })
  if (given !== undefined) return server
  return { ...server, stop: () => server.stop().then(() => removeDataDir(data)) }
}

export const makeDataDir = (): Promise<string> => mkdtemp(join(tmpdir(), 'polylogue-bench-'))

export const removeDataDir = (data: string): Promise<void> => rm(data, { recursive: true, force: true })

/** The bare limit: `node:http` and nothing else. */
export const startBare = (): Promise<ChildServer> => startChild(process.execPath, [path('./bare-server.ts')])

/** The smallest program that makes turns durable. */
export const startLeast = (): Promise<ChildServer> => startChild(process.execPath, [path('./least-server.ts')])

/** The bare limit of a GET. */
export const startBareHono = (): Promise<ChildServer> => startChild(process.execPath, [path('./bare-hono.ts')])

/** The bare limit of Socket.IO. */
export const startBroadcaster = (): Promise<ChildServer> =>
  startChild(process.execPath, [path('./bare-broadcaster.ts')])

async function startChild(
  command: string,
  args: readonly string[],
  { profileTo, environment = {} }: Pick<PolylogueOptions, 'profileTo' | 'environment'> = {},
): Promise<ChildServer> {
  const startedAt = performance.now()
  const env =
    profileTo === undefined
      ? { ...process.env, NODE_OPTIONS: `--expose-gc --import=${path('./collect-on-signal.ts')}` }
      : {
          ...process.env,
          NODE_OPTIONS: `--import=${path('./profile-on-signal.ts')}`,
          POLYLOGUE_BENCH_PROFILE: profileTo,
        }
  const child = spawn(command, args, { env: { ...env, ...environment }, stdio: ['ignore', 'pipe', 'ignore'] })
  const line = await firstLine(child)
  const readyMs = performance.now() - startedAt
  const { url, key, pid: _told, ...facts } = ready.parse(JSON.parse(line))
  const pid = child.pid ?? 0
  return {
    url: new URL(url),
    key,
    facts,
    readyMs,
    cpuMicros: async () => cpuMicrosOf(await readFile(`/proc/${pid}/stat`, 'utf8')),
    residentBytes: async () => residentBytesOf(await readFile(`/proc/${pid}/status`, 'utf8')),
    settledBytes: async () => {
      for (let round = 0; round < 3; round++) {
        child.kill('SIGUSR2')
        await setTimeout(500)
      }
      return residentBytesOf(await readFile(`/proc/${pid}/status`, 'utf8'))
    },
    signal: (signal) => void child.kill(signal),
    stop: () => stopChild(child),
  }
}

function firstLine(child: ChildProcess): Promise<string> {
  const { stdout } = child
  if (stdout === null) throw new Error('the server has no stdout')
  return new Promise((resolve, reject) => {
    createInterface({ input: stdout }).once('line', resolve)
    child.once('exit', (code) => reject(new Error(`the server ended with code ${code} before it was ready`)))
  })
}

function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill('SIGTERM')
  })
}

// Fields 14 and 15 of /proc/PID/stat, counted after the command name: user and system time in ticks of 10 ms.
function cpuMicrosOf(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

function residentBytesOf(status: string): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024
}
