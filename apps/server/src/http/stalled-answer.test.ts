import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { cutWhenStalled } from './stalled-answer.ts'

const LARGE = Buffer.alloc(24 * 1024 * 1024)

async function ask(patienceMs: number): Promise<{ readonly client: Socket; readonly closed: Promise<unknown> }> {
  const closed = Promise.withResolvers<void>()
  const server = createServer((_, outgoing) => {
    cutWhenStalled(outgoing, patienceMs)
    outgoing.once('close', closed.resolve)
    outgoing.end(LARGE)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port })
  client.on('error', () => undefined)
  client.pause()
  client.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  onTestFinished(() => {
    client.destroy()
    server.close()
  })
  return { client, closed: closed.promise }
}

it('a client that does not read its answer is disconnected', async () => {
  const { client, closed } = await ask(50)
  await closed
  let received = 0
  client.on('data', (bytes: Buffer) => (received += bytes.length))
  client.resume()
  if (!client.closed) await once(client, 'close')
  expect(received).toBeLessThan(LARGE.length)
})

it('a client that takes a little at a time gets all of it', async () => {
  const { client, closed } = await ask(5_000)
  let received = 0
  client.on('data', (bytes: Buffer) => {
    received += bytes.length
    client.pause()
    setTimeout(() => client.resume(), 1)
  })
  client.resume()
  await once(client, 'close')
  await closed
  expect(received).toBeGreaterThan(LARGE.length)
})
