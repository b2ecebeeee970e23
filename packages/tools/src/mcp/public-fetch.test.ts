import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAllowance } from '../web/allowance.ts'
import { createPublicFetch } from './public-fetch.ts'

let server: Server
let port: number
let requests = 0
beforeAll(async () => {
  server = createServer((request, response) => {
    requests += 1
    if (request.url === '/away') return void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
    if (request.url === '/nothing') return void response.writeHead(204).end()
    response.writeHead(200, { 'content-type': 'text/plain', 'x-method': request.method ?? '' })
    request.pipe(response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

const nobody = createPublicFetch(createAllowance([]))
const allowed = createPublicFetch(createAllowance(['127.0.0.1', '::1']))

describe('a fetch that reaches the public network only', () => {
  it.each([
    () => `http://127.0.0.1:${port}/`,
    () => `http://localhost:${port}/`,
    () => `http://0x7f.1:${port}/`,
    () => `http://[::ffff:127.0.0.1]:${port}/`,
    () => `http://0.0.0.0:${port}/`,
    () => 'http://169.254.169.254/latest/meta-data',
  ])('refuses what is not on it, in any spelling (%#)', async (spell) => {
    const before = requests
    await expect(nobody(spell())).rejects.toThrow('is not on the public network')
    expect(requests).toBe(before)
  })

  it('reaches what the operator opened, and sends what it is given', async () => {
    const answer = await allowed(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'hello', headers: { a: 'b' } })
    expect([answer.status, answer.headers.get('x-method'), await answer.text()]).toEqual([200, 'POST', 'hello'])
    expect((await allowed(`http://127.0.0.1:${port}/nothing`)).status).toBe(204)
    expect(await (await allowed(`http://localhost:${port}/`, { method: 'POST', body: 'x' })).text()).toBe('x')
  })

  it('follows no redirect to another host', async () => {
    expect((await allowed(`http://127.0.0.1:${port}/away`)).status).toBe(302)
  })

  it('stops on request', async () => {
    const stop = new AbortController()
    stop.abort(new Error('enough'))
    await expect(allowed(`http://127.0.0.1:${port}/`, { signal: stop.signal })).rejects.toThrow(/abort/i)
  })
})
