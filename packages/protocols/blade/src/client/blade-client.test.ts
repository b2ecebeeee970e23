import { createMemoryEventStore, createTestIds, finishes, says } from '@polylogue/testkit'
import { Server } from 'socket.io'
import { io } from 'socket.io-client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { openTestDoor } from '../test-support/open-test-door.ts'
import { systemClock } from '../test-support/system-clock.ts'
import { BladeClient } from './blade-client.ts'

describe('a client', () => {
  it('folds events and notifies listeners', async () => {
    const door = await openTestDoor()
    door.model.push([says('a '), says('b'), finishes()])
    const sessionId = await door.session()
    const client = await door.client()
    const heard: string[] = []
    const stop = client.listen(({ event }) => heard.push(event))
    await client.say(sessionId, 'hi')
    stop()
    const before = heard.length
    await client.say(sessionId, 'again')
    expect(heard).toHaveLength(before)
    expect(client.state(sessionId).turns).toEqual(await door.messages(sessionId))
  })

  it('whose connection is cut does not wait for an answer forever', async () => {
    const door = await openTestDoor()
    const sessionId = await door.session()
    const client = await door.client()
    const asked = client.subscribe(sessionId)
    client.socket.io.engine.close()
    expect(await asked).toMatchObject({ status: 'error', code: 'disconnected' })
  })

  it('that reconnects subscribes again, and asks for its turns to be fetched again', async () => {
    const door = await openTestDoor()
    const sessionId = await door.session()
    const client = await door.client({ resubscribes: true })
    await client.say(sessionId, 'hi')
    // By the time of its next answer the server knows that all of the run has arrived.
    await client.subscribe(sessionId)
    const back = new Promise((resolve) => client.socket.io.once('reconnect', resolve))
    client.socket.io.engine.close()
    await back
    expect(client.state(sessionId).isDirty).toBe(true)
    client.state(sessionId).load(await door.messages(sessionId))
    await client.say(sessionId, 'again')
    expect(client.state(sessionId).turns).toEqual(await door.messages(sessionId))
    expect(client.state(sessionId).isDirty).toBe(false)
    expect(client.of('chat:start')).toHaveLength(2)
  })

  it('that comes back while the storage does not answer tries again', async () => {
    const http = createServer()
    const server = new Server(http)
    onTestFinished(() => server.close())
    let isAvailable = true
    server.use((_socket, next) => next(isAvailable ? undefined : new Error('unavailable')))
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
    const client = new BladeClient(io, { url, token: 'key', reconnectAfterMs: 10 })
    onTestFinished(() => client.close())
    await client.connect()
    const states: string[] = []
    client.watchConnection(({ state }) => states.push(state))
    isAvailable = false
    const refused = new Promise((resolve) => client.socket.once('connect_error', resolve))
    client.socket.io.engine.close()
    expect(await refused).toMatchObject({ message: 'unavailable' })
    isAvailable = true
    await new Promise<void>((resolve) => client.socket.once('connect', resolve))
    expect(states).toEqual(['lost', 'open'])
  })

  it('that comes back to another server on the same data continues where it was', async () => {
    const [store, ids] = [createMemoryEventStore({ clock: systemClock }), createTestIds()]
    const first = await openTestDoor({ store, ids })
    const sessionId = await first.session()
    // A stable address, as behind a proxy.
    let target = first.port
    const proxy = createServer()
    proxy.on('upgrade', (incoming, socket) => {
      const onward = forward(target, incoming.url ?? '/', incoming.rawHeaders)
      onTestFinished(() => void onward.destroy())
      socket.pipe(onward).pipe(socket)
      socket.on('error', () => onward.destroy())
      onward.on('error', () => socket.destroy())
      onward.on('close', () => socket.destroy())
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const { port } = proxy.address() as AddressInfo
    const client = new BladeClient(io, { url: `http://127.0.0.1:${port}`, token: 'ann', transports: ['websocket'] })
    onTestFinished(() => {
      client.close()
      proxy.closeAllConnections()
      proxy.close()
    })
    await client.connect()
    await client.subscribe(sessionId)
    const second = await openTestDoor({ store, ids })
    target = second.port
    const back = new Promise((resolve) => client.socket.io.once('reconnect', resolve))
    await first.close()
    await back
    const ended = new Promise<void>((resolve) => {
      client.listen(({ event }) => {
        if (event === 'chat:end') resolve()
      })
    })
    expect(await client.send(sessionId, 'hi')).toMatchObject({ status: 'ok' })
    await ended
    expect(client.state(sessionId).turns).toEqual(await second.messages(sessionId))
  })
})

/** The same request on a connection of its own. */
function forward(port: number, url: string, rawHeaders: readonly string[]): Socket {
  const socket = connect(port, '127.0.0.1')
  const lines = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1] ?? ''}`] : [],
  )
  socket.write(`GET ${url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  return socket
}
