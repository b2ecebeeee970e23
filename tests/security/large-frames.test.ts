// One user sends large frames over open sockets without a pause. The server reads them at the pace that it allows, and another
// user does not notice.
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { createUserKey } from '../support/owner-socket.ts'

vi.setConfig({ testTimeout: 60_000 })

const MB = 1024 * 1024
/** More than a user may send at once. */
const SENT = 160 * MB
const FRAME = 2 * MB

let dir: TempDir
let server: ServerProcess
beforeAll(async () => {
  dir = await createTempDir()
  server = await startServerProcess({ dataDir: dir.path })
})
afterAll(async () => {
  await server.stop()
  await dir.remove()
})

it('frames beyond the pace stay with the client, and others are served meanwhile', async () => {
  const key = await createUserKey(server.dataDir, 'ann')
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/acp`, {
    headers: { authorization: `Bearer ${key}` },
  })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const frame = JSON.stringify({ jsonrpc: '2.0', method: 'nothing/of_note', params: { text: 'x'.repeat(FRAME) } })
  for (let sent = 0; sent < SENT; sent += FRAME) socket.send(frame)
  const probes: number[] = []
  let least = socket.bufferedAmount
  while (probes.length < 20) {
    const startedAt = performance.now()
    const { status } = await fetch(`${server.url}/healthz`)
    probes.push(performance.now() - startedAt)
    expect(status).toBe(200)
    least = Math.min(least, socket.bufferedAmount)
  }
  // The server has read what it allows at once, and not all of it.
  await vi.waitUntil(() => socket.bufferedAmount < SENT - 40 * MB, { timeout: 30_000 })
  expect(socket.bufferedAmount).toBeGreaterThan(0)
  expect(Math.max(...probes)).toBeLessThan(5_000)
  socket.terminate()
})
