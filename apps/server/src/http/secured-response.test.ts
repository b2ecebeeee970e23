import { once } from 'node:events'
import { get, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createHttpServer } from './http-server.ts'

async function answerOf(listener: RequestListener): Promise<IncomingMessage> {
  const server = createHttpServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    const [response] = await once(get({ port, host: '127.0.0.1', agent: false }), 'response')
    response.resume()
    await once(response, 'end')
    return response
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

const SECURITY = {
  'content-security-policy': expect.stringContaining("default-src 'none'"),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
  vary: 'Origin',
}

describe('the security headers', () => {
  it.each<[string, RequestListener]>([
    ['that nobody wrote a head for', (_request, response) => response.end('x')],
    ['with a status', (_request, response) => response.writeHead(404).end()],
    ['with a reason', (_request, response) => response.writeHead(404, 'Nowhere', { 'X-Own': '1' }).end()],
    ['with headers', (_request, response) => response.writeHead(200, { 'x-own': '1' }).end('x')],
    ['with headers in a list', (_request, response) => response.writeHead(200, ['X-Own', '1']).end('x')],
    ['with headers that were set before', (_request, response) => response.setHeader('x-own', '1').end('x')],
  ])('are on an answer %s', async (_what, listener) => {
    expect((await answerOf(listener)).headers).toMatchObject(SECURITY)
  })

  it.each<[string, RequestListener]>([
    ['sets', (_request, response) => response.setHeader('CACHE-CONTROL', 'max-age=9').end('x')],
    ['writes', (_request, response) => response.writeHead(200, { 'cache-control': 'max-age=9' }).end('x')],
    ['lists', (_request, response) => response.writeHead(200, ['cache-control', 'max-age=9']).end('x')],
  ])('yield to one that a route %s itself, and it is there once', async (_what, listener) => {
    const { headers, rawHeaders } = await answerOf(listener)
    expect(headers).toMatchObject({ ...SECURITY, 'cache-control': 'max-age=9' })
    expect(rawHeaders.filter((name) => name.toLowerCase() === 'cache-control')).toHaveLength(1)
  })
})
