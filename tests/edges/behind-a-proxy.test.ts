// A proxy on another port of this machine, as a dev server, `ssh -L` and `docker -p` put one before a default server.
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { io } from 'socket.io-client'
import { WebSocket } from 'ws'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createAapClient } from '../support/aap-client.ts'
import { V1, V3 } from '../support/aap-dialect.ts'
import { bearer, startEdgeServer, type EdgeServer } from './edge-server.ts'

let server: EdgeServer
let proxyUrl: string
let closeProxy: () => Promise<void>

/** Passes requests on with the Host line that the client sent, upgrades too. */
async function startProxy(target: number): Promise<{ readonly url: string; close(): Promise<void> }> {
  const sockets = new Set<Socket>()
  const proxy = createServer((incoming, outgoing) => {
    const passed = request(
      { port: target, method: incoming.method, path: incoming.url, headers: incoming.headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      },
    )
    passed.on('error', () => outgoing.destroy())
    incoming.pipe(passed)
  })
  proxy.on('upgrade', (incoming, socket: Socket, head: Buffer) => {
    const lines = incoming.rawHeaders.flatMap((name, index) =>
      index % 2 === 0 ? [`${name}: ${incoming.rawHeaders[index + 1]}`] : [],
    )
    const passed = connect(target, '127.0.0.1', () => {
      passed.write(`GET ${incoming.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
      passed.write(head)
      socket.pipe(passed).pipe(socket)
    })
    sockets.add(passed)
    for (const end of [socket, passed]) end.on('error', () => end.destroy())
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const { port } = proxy.address() as AddressInfo
  return {
    url: `http://localhost:${port}`,
    async close() {
      for (const socket of sockets) socket.destroy()
      proxy.closeAllConnections()
      proxy.close()
    },
  }
}

beforeAll(async () => {
  server = await startEdgeServer()
  const proxy = await startProxy(server.port)
  proxyUrl = proxy.url
  closeProxy = proxy.close
})
afterAll(async () => {
  await closeProxy()
  await server.stop()
})

describe('through a proxy on another port', () => {
  it.each([
    ['v3', V3],
    ['v1', V1],
  ])('an AAP client of %s has a streamed turn', async (_name, dialect) => {
    const client = createAapClient({ url: proxyUrl, key: server.key, dialect })
    const messages = [{ role: 'user', content: 'say Hello' }]
    const first = dialect.name === 'v1' ? { messages, stream: 'none' } : {}
    const { body } = await client.create({ agent: { name: 'scripted' }, ...first })
    const turn = await client.streamTurn(body.sessionId, { messages, stream: 'delta' })
    expect(JSON.stringify(await turn.finished())).toContain('Hello')
  })

  it.each(['polling', 'websocket'])('a Blade client talks over %s, as a page of the proxy', async (transport) => {
    const made = await fetch(`${proxyUrl}/api/sessions`, {
      method: 'POST',
      headers: { ...bearer(server.key), 'content-type': 'application/json', origin: proxyUrl },
      body: JSON.stringify({ solution_id: 'scripted' }),
    })
    const { session_id } = (await made.json()) as { readonly session_id: string }
    const socket = io(proxyUrl, {
      auth: { token: server.key },
      transports: [transport],
      extraHeaders: { origin: proxyUrl },
      forceNew: true,
    })
    onTestFinished(() => void socket.close())
    const ended = new Promise((resolve) => socket.on('chat:end', resolve))
    await new Promise<void>((resolve) => socket.on('connect', resolve))
    expect(await socket.emitWithAck('chat:send', { session_id, message: 'say Hello' })).toMatchObject({ status: 'ok' })
    expect(await ended).toMatchObject({ session_id })
  })

  it('an ACP client is greeted', async () => {
    const socket = new WebSocket(`${proxyUrl.replace('http', 'ws')}/acp?agent=scripted`, {
      headers: bearer(server.key),
    })
    onTestFinished(() => socket.terminate())
    await once(socket, 'open')
    socket.send('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}')
    expect(JSON.parse(String((await once(socket, 'message'))[0]))).toMatchObject({ id: 1, result: {} })
  })

  it('a page of another origin is still refused', async () => {
    const headers = { ...bearer(server.key), origin: 'http://evil.example' }
    expect((await fetch(`${proxyUrl}/aap/v3/meta`, { headers })).status).toBe(403)
    const other = { ...bearer(server.key), origin: `http://localhost:${server.port}` }
    expect((await fetch(`${proxyUrl}/aap/v3/meta`, { headers: other })).status).toBe(403)
  })
})
