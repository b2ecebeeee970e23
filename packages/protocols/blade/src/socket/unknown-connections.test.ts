import { Server as EngineIoServer, type Socket as EngineIoSocket } from 'engine.io'
import { EventEmitter, once } from 'node:events'
import { createServer, IncomingMessage } from 'node:http'
import { connect, Socket, type AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { UnknownConnections, type Connection } from './unknown-connections.ts'

class FakeConnection extends EventEmitter implements Connection {
  readonly request: IncomingMessage

  constructor(request: IncomingMessage) {
    super()
    this.request = request
  }
}

function setUp(perClient: number) {
  let refused = 0
  const unknown = new UnknownConnections({
    perClient,
    clientOf: ({ headers }) => (headers.from === 'proxy' ? undefined : headers.from),
    refused: () => (refused += 1),
  })
  const begin = (from: string): IncomingMessage | undefined => {
    const incoming = new IncomingMessage(new Socket())
    incoming.headers.from = from
    return unknown.admit(incoming) ? incoming : undefined
  }
  const open = (from: string): FakeConnection | undefined => {
    const incoming = begin(from)
    if (incoming === undefined) return undefined
    const connection = new FakeConnection(incoming)
    unknown.opened(connection)
    return connection
  }
  return { unknown, begin, open, refused: () => refused }
}

describe('connections before authentication', () => {
  it('are limited per client', async () => {
    const { open, refused } = setUp(2)
    expect([open('ann'), open('ann'), open('ann'), open('bob')].map(Boolean)).toEqual([true, true, false, true])
    await setImmediate()
    expect(open('ann')).toBeUndefined()
    expect(refused()).toBe(2)
  })

  it('make room when they are known, and when they close, once each', () => {
    const { unknown, open } = setUp(2)
    const [first, second] = [open('ann'), open('ann')]
    if (first === undefined || second === undefined) throw new Error('both may begin')
    unknown.known(first)
    expect(open('ann')).toBeDefined()
    unknown.known(first)
    first.emit('close')
    expect(open('ann')).toBeUndefined()
    second.emit('close')
    unknown.known(second)
    expect(open('ann')).toBeDefined()
    expect(open('ann')).toBeUndefined()
  })

  it('count from the moment they ask, until it is clear that nothing comes of it', async () => {
    const { begin } = setUp(2)
    expect([begin('ann'), begin('ann'), begin('ann')].map(Boolean)).toEqual([true, true, false])
    await setImmediate()
    expect(begin('ann')).toBeDefined()
  })

  it('count also when they open late', async () => {
    const { unknown, begin, open } = setUp(1)
    const incoming = begin('ann')
    await setImmediate()
    if (incoming === undefined) throw new Error('it may begin')
    const connection = new FakeConnection(incoming)
    unknown.opened(connection)
    expect(open('ann')).toBeUndefined()
    connection.emit('close')
    expect(open('ann')).toBeDefined()
  })

  it('are not counted for exempt clients', () => {
    const { open, refused } = setUp(1)
    expect([open('proxy'), open('proxy'), open('proxy')].map(Boolean)).toEqual([true, true, true])
    expect(refused()).toBe(0)
  })

  it('B5: are bounded on an Engine.IO server, at any request rate', async () => {
    let refused = 0
    const unknown = new UnknownConnections({ perClient: 3, clientOf: () => 'ann', refused: () => (refused += 1) })
    const engine = new EngineIoServer({
      allowRequest: (incoming, answer) => answer('too many connections', unknown.admit(incoming)),
    })
    const open: EngineIoSocket[] = []
    engine.on('connection', (connection: EngineIoSocket) => {
      unknown.opened(connection)
      open.push(connection)
    })
    const http = createServer((incoming, outgoing) => engine.handleRequest(incoming, outgoing))
    http.listen(0, '127.0.0.1')
    await once(http, 'listening')
    onTestFinished(() => {
      engine.close()
      http.closeAllConnections()
      http.close()
    })
    const { port } = http.address() as AddressInfo
    const handshake = (): Promise<number> =>
      fetch(`http://127.0.0.1:${port}/?EIO=4&transport=polling`).then(({ status }) => status)
    const flood = connect(port, '127.0.0.1')
    flood.write('GET /?EIO=4&transport=polling HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(50))
    await expect.poll(() => open.length + refused, { interval: 5 }).toBe(50)
    flood.destroy()
    expect(open).toHaveLength(3)
    expect(await handshake()).toBe(403)
    open[0]?.close(true)
    expect(await handshake()).toBe(200)
    expect(await handshake()).toBe(403)
    const last = open[3]
    if (last === undefined) throw new Error('the fourth was let in')
    unknown.known(last)
    expect(await handshake()).toBe(200)
  })
})
