import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { localFetch } from './local-fetch.ts'

it('fetches from a server of this machine', async () => {
  const server = createServer((_, outgoing) => outgoing.end('hello')).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const answer = await localFetch(`http://127.0.0.1:${port}/`)
  expect(await answer.text()).toBe('hello')
})

it('rejects where nobody listens', async () => {
  const server = createTcpServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  await expect(localFetch(new URL(`http://127.0.0.1:${port}/`))).rejects.toThrow('ECONNREFUSED')
})

it('stops with its signal', async () => {
  await expect(localFetch('http://127.0.0.1:1/', { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i)
})
