import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KeepAliveClient } from './keep-alive-client.ts'

describe('a client that keeps its connection', () => {
  let server: Server
  let url: string

  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url === '/whole') return response.writeHead(200, { 'content-length': 2 }).end('ok')
      if (request.url === '/refused') return response.writeHead(409, { 'content-length': 4 }).end('busy')
      for (const piece of ['a', '0\r\n', '\r\nb']) response.write(piece)
      return response.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => server.close())

  it('reads answers of both kinds one after the other', async () => {
    const client = await KeepAliveClient.open({ url, key: 'k' })
    for (const path of ['/whole', '/chunks', '/whole']) await client.get(path)
    expect(client.body).toBe('ok')
    expect(client.firstByteMs).toBeGreaterThan(0)
    client.close()
  })

  it('fails where the server refuses', async () => {
    const client = await KeepAliveClient.open({ url, key: 'k' })
    await expect(client.post('/refused', {})).rejects.toThrow('the server answered 409')
    client.close()
  })
})
