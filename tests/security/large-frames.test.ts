// One user sends large frames over open sockets without a pause. The server reads them at the pace that it allows, and another
// user does not notice.
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { createUserKey } from '../support/owner-socket.ts'

vi.setConfig({ testTimeout: 120_000 })

const MB = 1024 * 1024
const FRAME = 8 * MB
/** A user may send eight of them at once, and then one in two seconds. */
const SENT = 12

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

it('frames beyond the pace wait, and others are served meanwhile', async () => {
  const key = await createUserKey(server.dataDir, 'ann')
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/acp`, {
    headers: { authorization: `Bearer ${key}` },
  })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const answeredAt: number[] = []
  socket.on('message', () => answeredAt.push(performance.now()))
  const texts = Array.from({ length: 4 }, () => 'x'.repeat(FRAME / 4))
  for (let id = 0; id < SENT; id++) {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'nothing/at_all', params: { texts } }))
  }
  await vi.waitUntil(() => answeredAt.length >= 8, { timeout: 50_000 })
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  await vi.waitUntil(() => answeredAt.length === SENT, { timeout: 50_000 })
  // Three pauses of two seconds lie between the ninth and the last.
  expect((answeredAt.at(-1) ?? 0) - (answeredAt[8] ?? 0)).toBeGreaterThan(3_000)
  socket.terminate()
})
