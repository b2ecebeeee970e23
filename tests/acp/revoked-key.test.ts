import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { exchangeJson } from '../support/http-exchange.ts'
import { askOwner, createUserKey } from '../support/owner-socket.ts'
import { createAcpWorld } from './support/acp-world.ts'

const TEXT = 1
const CLOSE = 8

interface RudeClient {
  readonly socket: Socket
  send(frame: object): void
  /** The next frame of this kind, as text. */
  next(opcode: number): Promise<string>
}

/** A client that does not end its side when it is told to. */
async function connectRudely(url: string, key: string): Promise<RudeClient> {
  const headers = {
    authorization: `Bearer ${key}`,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': Buffer.alloc(16).toString('base64'),
  }
  const outgoing = request(`${url}/acp?agent=scripted`, { headers, agent: false })
  outgoing.end()
  const [, socket, head] = (await once(outgoing, 'upgrade')) as [unknown, Socket, Buffer]
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  const frames: { readonly opcode: number; readonly text: string }[] = []
  let received = head
  const arrived = new EventTarget()
  const read = (bytes: Buffer): void => {
    received = Buffer.concat([received, bytes])
    for (
      let size = frameSize(received);
      size !== undefined && size.end <= received.length;
      size = frameSize(received)
    ) {
      frames.push({ opcode: (received[0] ?? 0) & 15, text: received.toString('utf8', size.start, size.end) })
      received = received.subarray(size.end)
    }
    arrived.dispatchEvent(new Event('frame'))
  }
  socket.on('data', read)
  return {
    socket,
    send(frame) {
      const payload = Buffer.from(JSON.stringify(frame))
      const start = Buffer.from([0x80 | TEXT, 0x80 | 126, payload.length >> 8, payload.length & 255, 0, 0, 0, 0])
      socket.write(Buffer.concat([start, payload]))
    },
    async next(opcode) {
      for (;;) {
        const index = frames.findIndex((frame) => frame.opcode === opcode)
        const [frame] = index === -1 ? [] : frames.splice(index, 1)
        if (frame !== undefined) return frame.text
        await once(arrived, 'frame')
      }
    },
  }
}

/** Where the payload of the first frame begins and ends. */
function frameSize(bytes: Buffer): { readonly start: number; readonly end: number } | undefined {
  const short = (bytes[1] ?? 0) & 127
  if (bytes.length < 4) return undefined
  return short === 126 ? { start: 4, end: 4 + bytes.readUInt16BE(2) } : { start: 2, end: 2 + short }
}

it('S5: a client that continues after its key was revoked is ignored and disconnected', async () => {
  const world = await createAcpWorld()
  onTestFinished(() => world.close())
  const { dataDir, workDir } = world
  const config = join(world.path, 'config.json')
  await writeFile(config, JSON.stringify({ acp: { roots: { anna: [workDir] } } }))
  const { url } = await world.serve(['--config', config])
  const made = await askOwner(dataDir, {
    method: 'POST',
    path: '/api/polylogue/keys',
    body: { name: 'laptop', user: 'anna' },
  })
  const { id, key } = made.body as { readonly id: string; readonly key: string }
  const otherKey = await createUserKey(dataDir, 'anna')
  const client = await connectRudely(url, key)
  const ask = (call: number, method: string, params: object): void =>
    client.send({ jsonrpc: '2.0', id: call, method, params })
  ask(1, 'initialize', { protocolVersion: 1 })
  await client.next(TEXT)
  ask(2, 'session/new', { cwd: workDir, mcpServers: [] })
  const { result } = JSON.parse(await client.next(TEXT)) as { readonly result: { readonly sessionId: string } }

  const ended = once(client.socket, 'close')
  const revokedAt = performance.now()
  const revoked = await askOwner(dataDir, { method: 'DELETE', path: `/api/polylogue/keys/${id}` })
  expect(revoked.status).toBe(204)
  expect(await client.next(CLOSE)).toContain('The key was revoked.')
  ask(3, 'session/prompt', { sessionId: result.sessionId, prompt: [{ type: 'text', text: 'say anyway' }] })
  await ended
  expect(performance.now() - revokedAt).toBeLessThan(5_000)
  const history = await exchangeJson({
    method: 'GET',
    url: `${url}/aap/v3/sessions/${result.sessionId}/history?type=full`,
    headers: { authorization: `Bearer ${otherKey}` },
  })
  expect(history.body).toEqual({ history: { full: [] } })
})
