import { once } from 'node:events'
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'

const ANSWER = Buffer.from('0123456789'.repeat(50))

/** A server that answers every line with the same 500 bytes, and keeps its end of every connection. */
let target: Server
let connections: Socket[]
let proxy: FaultProxy

beforeEach(async () => {
  connections = []
  target = createServer({ allowHalfOpen: true }, (socket) => {
    connections.push(socket)
    socket.on('error', () => socket.destroy())
    socket.on('data', () => socket.write(ANSWER))
  })
  target.listen(0, '127.0.0.1')
  await once(target, 'listening')
  proxy = await startFaultProxy({ url: `http://127.0.0.1:${(target.address() as AddressInfo).port}` })
})

afterEach(async () => {
  await proxy.stop()
  for (const socket of connections) socket.destroy()
  target.close()
})

interface Heard {
  readonly socket: Socket
  readonly bytes: () => number
  readonly ended: Promise<'end' | 'reset'>
}

async function ask(): Promise<Heard> {
  const socket = connect({ host: '127.0.0.1', port: proxy.port, allowHalfOpen: true })
  let count = 0
  socket.on('data', (bytes) => (count += bytes.length))
  const ended = new Promise<'end' | 'reset'>((resolve) => {
    socket.on('end', () => resolve('end'))
    socket.on('error', () => resolve('reset'))
  })
  await once(socket, 'connect')
  socket.write('go\n')
  return { socket, bytes: () => count, ended }
}

async function untilBytes({ socket, bytes }: Heard, count: number): Promise<void> {
  while (bytes() < count) await once(socket, 'data')
}

async function serverSide(): Promise<Socket> {
  while (connections.length === 0) await once(target, 'connection')
  const [socket] = connections
  if (!socket) throw new Error('nobody connected')
  return socket
}

describe('the spoiling proxy', () => {
  it('passes everything on when nothing is planned', async () => {
    const heard = await ask()
    await untilBytes(heard, ANSWER.length)
    heard.socket.end()
    const server = await serverSide()
    await once(server, 'end')
    server.end()
    expect(await heard.ended).toBe('end')
    expect(heard.bytes()).toBe(ANSWER.length)
  })

  it.each([0, 1, 7, 499, 500])('resets both ends after exactly %i bytes', async (cutAfter) => {
    proxy.plan({ cutAfter })
    const heard = await ask()
    const server = await serverSide()
    const gone = new Promise((resolve) => server.once('close', resolve))
    expect(await heard.ended).toBe('reset')
    expect(heard.bytes()).toBe(cutAfter)
    await gone
  })

  it('spoils only as many connections as were planned', async () => {
    proxy.plan({ cutAfter: 3 })
    expect(await (await ask()).ended).toBe('reset')
    const next = await ask()
    await untilBytes(next, ANSWER.length)
    next.socket.destroy()
  })

  it('breaks every connection on request', async () => {
    proxy.spoilAll({ cutAfter: 3 })
    for (let round = 0; round < 3; round++) expect(await (await ask()).ended).toBe('reset')
  })

  it('ends the answer for the client and keeps the server', async () => {
    proxy.plan({ endAfter: 10 })
    const heard = await ask()
    expect(await heard.ended).toBe('end')
    expect(heard.bytes()).toBe(10)
    const server = await serverSide()
    heard.socket.write('more\n')
    await once(server, 'data')
    expect(server.destroyed).toBe(false)
    heard.socket.destroy()
  })

  it('swallows everything in both directions from a byte on', async () => {
    proxy.plan({ blackholeAfter: 20 })
    const heard = await ask()
    const server = await serverSide()
    await untilBytes(heard, 20)
    let received = 0
    server.on('data', (bytes) => (received += bytes.length))
    heard.socket.write('hello?\n'.repeat(10))
    const another = await ask()
    await untilBytes(another, ANSWER.length)
    expect(heard.bytes()).toBe(20)
    expect(received).toBe(0)
    expect(server.destroyed).toBe(false)
    heard.socket.destroy()
    another.socket.destroy()
  })

  it.each(['end', 'destroy', 'resetAndDestroy'] as const)(
    'hides from the server that its client left by %s',
    async (leave) => {
      proxy.plan({ hidesLeaving: true })
      const heard = await ask()
      await untilBytes(heard, ANSWER.length)
      const server = await serverSide()
      heard.socket[leave]()
      const another = await ask()
      await untilBytes(another, ANSWER.length)
      another.socket.destroy()
      expect([server.readableEnded, server.destroyed, proxy.openCount >= 1]).toEqual([false, false, true])
      await proxy.stop()
      expect(proxy.openCount).toBe(0)
    },
  )

  it('informs the server that its client left when that is not hidden', async () => {
    const heard = await ask()
    const server = await serverSide()
    await untilBytes(heard, 1)
    const gone = new Promise((resolve) => server.once('close', resolve))
    heard.socket.resetAndDestroy()
    await gone
  })

  it('lets an answer pass no faster than asked', async () => {
    proxy.plan({ bytesPerSecond: 1000 })
    const began = performance.now()
    const heard = await ask()
    await untilBytes(heard, ANSWER.length)
    expect(performance.now() - began).toBeGreaterThanOrEqual(450)
    heard.socket.destroy()
  })

  it('delays every piece', async () => {
    proxy.plan({ delayMs: 80 })
    const began = performance.now()
    const heard = await ask()
    await untilBytes(heard, ANSWER.length)
    expect(performance.now() - began).toBeGreaterThanOrEqual(75)
    heard.socket.destroy()
  })

  it('says everything twice to the server, on a connection of its own', async () => {
    proxy.plan({ isDoubled: true })
    const heard = await ask()
    await untilBytes(heard, ANSWER.length)
    while (connections.length < 2) await once(target, 'connection')
    expect(heard.bytes()).toBe(ANSWER.length)
    heard.socket.destroy()
  })
})
