// Clients that ask for a whole large session and read nothing of the answer, at every door that offers one over HTTP.
import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { readMetric } from '../streams/support/read-metric.ts'

/** `ID` stands for the session. */
export const LARGE_ANSWERS: readonly string[] = [
  '/aap/v3/sessions/ID/history?type=full',
  '/aap/v3/sessions/ID/history?type=compacted',
  '/aap/v3/sessions/ID/events?after=0',
  '/aap/v1/session/ID?history=full',
  '/api/sessions/ID/messages',
  '/api/polylogue/sessions/ID',
  '/api/polylogue/sessions/ID/events?limit=1000',
  '/api/polylogue/sessions/ID/doors?limit=1000',
]

export interface SlowReading {
  /** Of the session. */
  readonly turns: number
  readonly readers: number
  readonly holdMs: number
}

export interface SlowResult {
  readonly path: string
  /** How far the memory grew while nobody read. */
  readonly grownBytes: number
  /** How long another user's turn took meanwhile, at most. */
  readonly mostMs: number
}

/** Said and answered: almost two megabytes each. */
const SAID = 900_000
const LOOK_EVERY_MS = 100

export async function readSlowly(
  server: ServerProcess,
  { turns, readers, holdMs }: SlowReading,
): Promise<readonly SlowResult[]> {
  const key = await server.createKey('slow')
  const large = await openSession(server.client(V3, key))
  for (let turn = 0; turn < turns; turn += 1) await large.turn(`say ${'x'.repeat(SAID)}`)
  const other = await openSession(server.client(V3, await server.createKey('other')))
  const results: SlowResult[] = []
  for (const path of LARGE_ANSWERS) {
    const before = await readMetric(server, 'process_resident_memory_bytes')
    const sockets = await Promise.all(
      Array.from({ length: readers }, () => ask(server, key, path.replace('ID', large.id))),
    )
    let [peak, mostMs] = [before, 0]
    for (const until = performance.now() + holdMs; performance.now() < until; await delay(LOOK_EVERY_MS)) {
      const startedAt = performance.now()
      await other.turn('say x')
      mostMs = Math.max(mostMs, performance.now() - startedAt)
      peak = Math.max(peak, await readMetric(server, 'process_resident_memory_bytes'))
    }
    for (const socket of sockets) socket.destroy()
    results.push({ path, grownBytes: peak - before, mostMs: Math.round(mostMs) })
  }
  return results
}

async function ask({ url }: ServerProcess, key: string, path: string): Promise<Socket> {
  const { hostname, port, host } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => socket.destroy())
  await once(socket, 'connect')
  socket.pause()
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`)
  return socket
}
