import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { RawClient } from './raw-client.ts'

const undo: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const end of undo.splice(0)) await end()
})

async function startServer(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  undo.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return { server, client: await RawClient.open({ url: new URL(`http://127.0.0.1:${port}`), key: 'k' }) }
}

describe('a raw client', () => {
  it('finds the end of an answer in any chunking, and asks again on the same connection', async () => {
    const { client } = await startServer((_request, response) => {
      response.write('0\r\n')
      setImmediate(() => response.end('last'))
    })
    for (let turn = 0; turn < 20; turn++) {
      let text = ''
      await client.post('/', {}, (chunk) => (text += chunk.toString()))
      expect(text).toMatch(/4\r\nlast\r\n0\r\n\r\n$/)
    }
    client.close()
  })

  it('says so when the server has closed the connection, before an answer and in the middle of one', async () => {
    const { client } = await startServer((_request, response) => {
      response.write('begun')
      setImmediate(() => response.destroy())
    })
    await expect(client.post('/', {})).rejects.toThrow('closed the connection')
    await expect(client.post('/', {})).rejects.toThrow('closed the connection')
  })
})
