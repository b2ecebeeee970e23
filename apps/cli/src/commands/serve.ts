import { serve as startServer, stopSignals, type RunningServer } from '@polylogue/server'
import { resolve } from 'node:path'
import { chooseDataDir } from '../choose-data-dir.ts'
import { ExitCode } from '../exit-code.ts'
import { workspacesOption } from '../owner-flags.ts'
import { createTerminal, type Terminal } from '../terminal.ts'

export interface ServeFlags {
  readonly port: number
  readonly host: string
  readonly data?: string
  readonly database?: string
  readonly databaseDirect?: string
  readonly role?: 'all' | 'web' | 'worker'
  readonly redis?: string
  readonly nodeUrl?: string
  readonly workspaces?: string
  readonly config?: string
  readonly key: readonly string[]
  readonly scripted?: boolean
  readonly allowOrigin?: readonly string[]
  readonly publicUrl?: string
  readonly json?: boolean
}

const DRAIN_MS = 30_000
// One Ctrl-C under `npm start` arrives twice: from the terminal, and once more from npm.
const ECHO_MS = 1_000
const UNDO_MS = 10_000

/** Runs until a signal ends it. */
export async function serve(flags: ServeFlags): Promise<number> {
  const startDir = process.cwd()
  const dataDir = flags.data === undefined ? await chooseDataDir(startDir) : resolve(startDir, flags.data)
  const terminal = createTerminal(process)
  const stopping = listenForStop(terminal)
  const starting = startServer({
    dataDir,
    startDir,
    approveFolder: async (directory) => (await import('../approve-folder.ts')).approveFolder(directory),
    listen: { host: flags.host, port: flags.port },
    keys: flags.key,
    allowOrigins: flags.allowOrigin ?? [],
    scripted: flags.scripted === true,
    ...(flags.database === undefined ? {} : { database: flags.database }),
    ...(flags.databaseDirect === undefined ? {} : { databaseDirect: flags.databaseDirect }),
    ...(flags.role === undefined ? {} : { role: flags.role }),
    ...(flags.redis === undefined ? {} : { redis: flags.redis }),
    ...(flags.nodeUrl === undefined ? {} : { nodeUrl: flags.nodeUrl }),
    ...workspacesOption(flags.workspaces),
    ...(flags.config === undefined ? {} : { configFile: resolve(startDir, flags.config) }),
    ...(flags.publicUrl === undefined ? {} : { publicUrl: flags.publicUrl }),
    log: 'info',
    ownsProcess: true,
    signal: stopping.signal,
  })
  const server = await starting.catch((error: unknown) => {
    if (stopping.signal.aborted) return undefined
    throw error
  })
  if (server === undefined) return ExitCode.done
  stopping.concern(server)
  await announce(server, { json: flags.json === true, dataDir, terminal })
  await server.stopped
  return ExitCode.done
}

async function announce(
  server: RunningServer,
  { json, dataDir, terminal }: { readonly json: boolean; readonly dataDir: string; readonly terminal: Terminal },
): Promise<void> {
  const ready = { url: server.url, key: server.localKey, pid: process.pid }
  if (json) {
    terminal.stdout.write(`${JSON.stringify(ready)}\n`)
    return
  }
  const { formatBanner } = await import('../banner.ts')
  terminal.stdout.write(formatBanner(server, dataDir, terminal.stdout))
}

interface Stopping {
  /** Aborts on a signal during the start. */
  readonly signal: AbortSignal
  concern(server: RunningServer): void
}

/**
 * The first signal lets running turns finish. The second one leaves them to the next start. A signal during the start
 * ends the start.
 */
function listenForStop({ stderr }: Terminal): Stopping {
  const starting = new AbortController()
  let signals = 0
  let interruptedAt = Number.NEGATIVE_INFINITY
  let stop: ((graceMs: number) => void) | undefined
  const listener = (signal: NodeJS.Signals) => {
    if (signal === 'SIGINT') {
      if (performance.now() - interruptedAt < ECHO_MS) return
      interruptedAt = performance.now()
    }
    signals += 1
    if (signals === 1 && stop && stderr.isTerminal)
      stderr.write('\nStopping when the running turns are done. Again: now.\n')
    if (stop) stop(signals === 1 ? DRAIN_MS : 0)
    else if (signals > 1) process.exit(ExitCode.failed)
    else {
      starting.abort()
      // A start that cannot be undone in this time is left to the next one, like a crash.
      setTimeout(() => process.exit(ExitCode.failed), UNDO_MS).unref()
    }
  }
  for (const signal of stopSignals()) process.on(signal, listener)
  return {
    signal: starting.signal,
    concern(server) {
      stop = (graceMs) => void server.stop(graceMs)
      if (signals > 0) stop(0)
    },
  }
}
