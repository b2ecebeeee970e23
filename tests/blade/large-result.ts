// Many watchers of a session in which a tool returns a large result, and how the server bears it.
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { V3 } from '../support/aap-dialect.ts'
import { readMetric } from '../streams/support/read-metric.ts'
import { startServerProcess, type ServerProcess } from '../support/server-process.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { createRestClient } from './rest-client.ts'

const CONFIG = fileURLToPath(new URL('large-result.config.ts', import.meta.url))
const PROGRAM = fileURLToPath(new URL('large-result-process.ts', import.meta.url))
const PROBE_MS = 20
/** Watchers in one process. One that reads for many more is busy itself. */
const WATCHERS_EACH = 250

export interface LargeResult {
  /** How many of the watchers got every byte of the result and the end of the run. */
  readonly whole: number
  /** Of the server, at its most, in bytes. */
  readonly grown: number
  /** The slowest answer of `/healthz`, in milliseconds, without the time in which the server waited for a processor. */
  readonly worstProbe: number
}

export async function playLargeResult(watchers: number, bytes: number): Promise<LargeResult> {
  const dir = await createTempDir()
  const server = await startServerProcess({ dataDir: dir.path, flags: ['--config', CONFIG] })
  const { url, key } = server
  try {
    const sessionId = await createRestClient(server).create({ solution_id: 'large' })
    // In processes of their own: whoever reads for so many cannot look at the clock meanwhile.
    const order = { url, key, sessionId, bytes }
    const readers = await Promise.all(shares(watchers).map((share) => startReader({ ...order, watchers: share })))
    const base = await readMetric(server, 'process_resident_memory_bytes')
    let isOver = false
    const probing = probe(server, () => isOver)
    const sampling = sample(server, () => isOver)
    await server.client(V3).turn(sessionId, { messages: [{ role: 'user', content: `large ${bytes}` }] })
    const whole = await Promise.all(readers.map(({ told }) => told))
    isOver = true
    const [worstProbe, peak] = await Promise.all([probing, sampling])
    for (const { child } of readers) child.disconnect()
    return { whole: whole.reduce((sum, count) => sum + count, 0), grown: peak - base, worstProbe }
  } finally {
    await server.stop()
    await dir.remove()
  }
}

function shares(watchers: number): readonly number[] {
  const processes = Math.ceil(watchers / WATCHERS_EACH)
  return Array.from({ length: processes }, (_, index) => Math.min(WATCHERS_EACH, watchers - index * WATCHERS_EACH))
}

interface Reader {
  readonly child: ChildProcess
  /** How many of its watchers got everything. */
  readonly told: Promise<number>
}

async function startReader(order: object): Promise<Reader> {
  const child = fork(PROGRAM, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] })
  child.send(order)
  await once(child, 'message')
  const told = once(child, 'message').then(([count]) => Number(count))
  return { child, told }
}

async function probe({ url, pid }: ServerProcess, isOver: () => boolean): Promise<number> {
  let worst = 0
  while (!isOver()) {
    const startedAt = performance.now()
    const waitedBefore = waitedForProcessor(pid)
    await (await fetch(`${url}/healthz`)).text()
    const took = performance.now() - startedAt
    worst = Math.max(worst, took - (waitedForProcessor(pid) - waitedBefore))
    await new Promise((resolve) => setTimeout(resolve, PROBE_MS))
  }
  return worst
}

/** Milliseconds in which the main thread of a process could run and did not. Only Linux tells. */
function waitedForProcessor(pid: number): number {
  const file = `/proc/${pid}/schedstat`
  if (!existsSync(file)) return 0
  return Number(readFileSync(file, 'utf8').split(' ')[1]) / 1_000_000
}

async function sample(server: { readonly url: string; readonly key: string }, isOver: () => boolean): Promise<number> {
  let peak = 0
  while (!isOver()) peak = Math.max(peak, await readMetric(server, 'process_resident_memory_bytes'))
  return peak
}
