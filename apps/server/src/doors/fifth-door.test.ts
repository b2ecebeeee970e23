import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { json, text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { connectPipe } from '../pipe/connect-pipe.ts'
import { askOwner } from '../test-support/ask-owner.ts'
import { exchange } from '../test-support/exchange.ts'
import { startServer, type TestServer } from '../test-support/start-server.ts'
import { DOORS } from './doors.ts'
import { openEcho } from './test-support/echo/echo-door.ts'

/** The entry in the list is all that a door costs the server. */
const LIST = [...DOORS, openEcho]

function ask({ url }: TestServer, headers: Readonly<Record<string, string>>) {
  const outgoing = request(`${url}/echo/live`, {
    headers: { connection: 'Upgrade', upgrade: 'echo', ...headers },
    agent: false,
  })
  outgoing.end()
  return outgoing
}

async function openLive(server: TestServer): Promise<Socket> {
  const authorization = `Bearer ${server.localKey}`
  const [, socket] = (await once(ask(server, { authorization }), 'upgrade')) as [unknown, Socket]
  onTestFinished(() => void socket.destroy())
  return socket
}

it('a new door is in the status list and answers over both listeners', async () => {
  const server = await startServer({}, LIST)
  const status = await askOwner(server.dataDir, 'GET', '/api/polylogue/status')
  expect(JSON.parse(status.text)).toMatchObject({ doors: ['aap/v3', 'aap/v1', 'acp', 'blade', 'console', 'echo'] })
  expect(await server.routes()).toContain('POST /echo/words')
  const headers = { authorization: `Bearer ${server.localKey}` }
  const said = await exchange(`${server.url}/echo/words`, { headers, body: 'hello' })
  expect([said.status, said.body]).toEqual([200, { echo: 'hello' }])
  const owner = await askOwner(server.dataDir, 'POST', '/echo/words', 'hello')
  expect([owner.status, JSON.parse(owner.text)]).toEqual([200, { echo: '"hello"' }])
  expect((await exchange(`${server.url}/echo-direct/now`)).text).toBe('direct /echo-direct/now')
})

it('everything that is refused below its paths is refused in its words', async () => {
  const server = await startServer({}, LIST)
  const headers = { authorization: `Bearer ${server.localKey}` }
  const said = async (path: string, options: Parameters<typeof exchange>[1]): Promise<unknown> =>
    (await exchange(server.url + path, options)).body
  const because = (reason: string): object => ({ echoed: false, because: reason })
  expect(await said('/echo/words', { body: 'hello' })).toEqual(because('401 Unauthorized'))
  expect(await said('/echo/nothing', { headers })).toEqual(because('404 Not found'))
  expect(await said('/echo/broken', { headers })).toEqual(because('500 Something went wrong here.'))
  expect(await said('/echo/words', { headers: { host: 'evil.example' } })).toMatchObject({
    because: expect.stringMatching(/^403 This host name/),
  })
  const [refused] = (await once(ask(server, {}), 'response')) as [IncomingMessage]
  expect(await json(refused)).toEqual(because('401 Unauthorized'))
})

it('an upgraded connection echoes its input, and ends when the server stops', async () => {
  const server = await startServer({}, LIST)
  const live = await openLive(server)
  live.write('hello')
  expect(String((await once(live, 'data'))[0])).toBe('hello')
  const rest = text(live)
  await server.stop(2_000)
  expect(await rest).toBe('ended')
})

it('a process reaches it by pipe, over the owner socket and from inside', async () => {
  const server = await startServer({}, LIST)
  const pipe = await connectPipe(server.dataDir, { door: 'echo', handshake: 'from-afar' })
  if (pipe === undefined) throw new Error('nobody owns the data directory')
  pipe.send(Buffer.from('hello'))
  pipe.end()
  expect(await text(pipe.output)).toBe('from-afar:hello')
  const { input, output } = await server.openPipe('echo', 'from-inside')
  const said = text(output)
  const writer = input.getWriter()
  await writer.write(Buffer.from('hello'))
  await writer.close()
  expect(await said).toBe('from-inside:hello')
})
