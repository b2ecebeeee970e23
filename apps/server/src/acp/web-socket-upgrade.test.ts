import { once } from 'node:events'
import { WebSocket } from 'ws'
import { expect, it, onTestFinished } from 'vitest'
import { exchange } from '../test-support/exchange.ts'
import { startServer } from '../test-support/start-server.ts'

it('our own page comes in with the cookie of its sign-in, and no other page does', async () => {
  const { url, signInUrl } = await startServer()
  const code = new URL(signInUrl).hash.slice('#code='.length)
  const signedIn = await exchange(`${url}/signin`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ code }),
  })
  const [cookie = ''] = String(signedIn.headers['set-cookie']).split(';')
  const open = (headers: Readonly<Record<string, string>>) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/acp?agent=scripted`, { headers: { cookie, ...headers } })
    socket.on('error', () => undefined)
    onTestFinished(() => socket.terminate())
    return socket
  }
  const own = open({ origin: url })
  await once(own, 'open')
  own.send('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}')
  expect(JSON.parse(String((await once(own, 'message'))[0]))).toMatchObject({ id: 1, result: { protocolVersion: 1 } })

  const foreign: readonly Readonly<Record<string, string>>[] = [
    {},
    { origin: 'https://evil.example' },
    { origin: url, 'sec-fetch-site': 'cross-site' },
  ]
  for (const headers of foreign) {
    const [, response] = (await once(open(headers), 'unexpected-response')) as [
      unknown,
      { readonly statusCode: number },
    ]
    expect(response.statusCode).toBe(403)
  }
})
