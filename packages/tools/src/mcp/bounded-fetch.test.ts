import { createFakeClock } from '@polylogue/testkit'
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createBoundedFetch } from './bounded-fetch.ts'

let server: Server
let url: string
let slow: ServerResponse
beforeAll(async () => {
  server = createServer((request, response) => {
    slow = response
    response.writeHead(200, { 'content-type': String(request.headers['x-type']) }).write(': {')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

it.each(['application/json', 'text/event-stream'])('hangs up on an answer that trickles, as %s', async (type) => {
  const clock = createFakeClock()
  const boundedFetch = createBoundedFetch({ clock, answerMs: 30_000, onViolation: () => {} })
  const response = await boundedFetch(url, { method: 'POST', body: '{}', headers: { 'x-type': type } })
  const gone = once(slow, 'close')
  const text = response.text()
  clock.advance(29_999)
  expect(slow.writable).toBe(true)
  slow.write('1')
  clock.advance(1)
  await gone
  await text
})

it('keeps a stream of notifications open', async () => {
  const clock = createFakeClock()
  const boundedFetch = createBoundedFetch({ clock, answerMs: 30_000, onViolation: () => {} })
  const response = await boundedFetch(url, { method: 'GET', headers: { 'x-type': 'text/event-stream' } })
  const reader = response.body?.getReader()
  await reader?.read()
  clock.advance(3_600_000)
  slow.write('still here')
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('still here')
  await reader?.cancel()
})
