// Many watchers of a session in which a tool returns a large result, and how the server bears it.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { V3 } from '../support/aap-dialect.ts'
import { readMetric } from '../streams/support/read-metric.ts'
import { startServerProcess } from '../support/server-process.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { createRestClient } from './rest-client.ts'

const CONFIG = fileURLToPath(new URL('large-result.config.ts', import.meta.url))
const PROGRAM = fileURLToPath(new URL('large-result-process.ts', import.meta.url))
const PROBE_MS = 20

export interface LargeResult {
  /** How many of the watchers got every byte of the result and the end of the run. */
  readonly whole: number
  /** Of the server, at its most, in bytes. */
  readonly grown: number
  /** The slowest answer of `/healthz`, in milliseconds. */
  readonly worstProbe: number
}

export async function playLargeResult(watchers: number, bytes: number): Promise<LargeResult> {
  const dir = await createTempDir()
  const server = await startServerProcess({ dataDir: dir.path, flags: ['--config', CONFIG] })
  const { url, key } = server
  try {
    const sessionId = await createRestClient(server).create({ solution_id: 'large' })
    // In a process of its own: whoever reads for so many cannot look at the clock meanwhile.
    const child = fork(PROGRAM, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] })
    const ready = once(child, 'message')
    child.send({ url, key, sessionId, watchers, bytes })
    await ready
    const base = await readMetric(server, 'process_resident_memory_bytes')
    const told = once(child, 'message') as Promise<[number]>
    let isOver = false
    const probing = probe(url, () => isOver)
    const sampling = sample(server, () => isOver)
    await server.client(V3).turn(sessionId, { messages: [{ role: 'user', content: `large ${bytes}` }] })
    const [whole] = await told
    isOver = true
    const [worstProbe, peak] = await Promise.all([probing, sampling])
    child.disconnect()
    return { whole, grown: peak - base, worstProbe }
  } finally {
    await server.stop()
    await dir.remove()
  }
}

async function probe(url: string, isOver: () => boolean): Promise<number> {
  let worst = 0
  while (!isOver()) {
    const startedAt = performance.now()
    await (await fetch(`${url}/healthz`)).text()
    worst = Math.max(worst, performance.now() - startedAt)
    await new Promise((resolve) => setTimeout(resolve, PROBE_MS))
  }
  return worst
}

async function sample(server: { readonly url: string; readonly key: string }, isOver: () => boolean): Promise<number> {
  let peak = 0
  while (!isOver()) peak = Math.max(peak, await readMetric(server, 'process_resident_memory_bytes'))
  return peak
}
