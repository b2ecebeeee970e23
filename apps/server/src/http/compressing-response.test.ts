import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { alreadySent } from '@polylogue/kit'
import { expect, it } from 'vitest'
import { startListener } from '../test-support/start-listener.ts'

const LARGE = JSON.stringify({ text: 'all work and no play '.repeat(5_000) })
const HUGE = JSON.stringify(Array.from({ length: 400_000 }, (_, index) => ({ index, text: `line ${index * 7919}` })))
const JSON_TYPE = { 'content-type': 'application/json' }

const open = () =>
  startListener({
    routes: (app) => {
      app.get('/large', (c) => c.body(LARGE, 200, JSON_TYPE))
      app.get('/huge', (c) => c.body(HUGE, 200, JSON_TYPE))
      app.get('/small', (c) => c.json({ small: true }))
      app.get('/page', (c) => c.html(LARGE))
      app.get('/refused', (c) => c.body(LARGE, 409, JSON_TYPE))
      app.get('/pieces', (c) => {
        const { outgoing } = c.env
        const half = Math.floor(LARGE.length / 2)
        outgoing.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': LARGE.length })
        outgoing.write(LARGE.slice(0, half))
        outgoing.end(LARGE.slice(half))
        return alreadySent()
      })
      app.get('/events', (c) => {
        c.env.outgoing.writeHead(200, { 'Content-Type': 'text/event-stream' })
        c.env.outgoing.end(`data: ${LARGE}\n\n`)
        return alreadySent()
      })
    },
  })

async function get(
  url: string,
  accepted?: string,
): Promise<{ readonly answer: IncomingMessage; readonly body: Buffer }> {
  const outgoing = request(url, {
    headers: accepted === undefined ? {} : { 'accept-encoding': accepted },
    agent: false,
  })
  outgoing.end()
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  return { answer, body: await buffer(answer) }
}

it.each(['/large', '/refused', '/pieces'])(
  'the large JSON of %s is compressed for clients that accept it',
  async (path) => {
    const { url } = await open()
    for (const accepted of ['gzip', 'gzip, deflate, br', 'br;q=1.0, GZIP;q=0.5', '*']) {
      const { answer, body } = await get(url + path, accepted)
      expect(answer.headers).toMatchObject({
        'content-encoding': 'gzip',
        'content-length': String(body.length),
        'x-content-type-options': 'nosniff',
        vary: 'Origin, Accept-Encoding',
      })
      expect(body.length).toBeLessThan(LARGE.length / 10)
      expect(String(gunzipSync(body)) === LARGE).toBe(true)
    }
  },
)

it('is sent uncompressed to clients that do not accept compression', async () => {
  const { url } = await open()
  for (const accepted of [undefined, '', 'identity', 'br', 'gzip;q=0', 'gzip; q=0.0, *', 'x-gzip']) {
    const { answer, body } = await get(`${url}/large`, accepted)
    expect([accepted, answer.headers['content-encoding'], String(body) === LARGE]).toEqual([accepted, undefined, true])
  }
})

it.each(['/small', '/page', '/events', '/healthz'])('%s is never compressed', async (path) => {
  const { url } = await open()
  expect((await get(url + path, 'gzip')).answer.headers['content-encoding']).toBe(undefined)
})

it('compresses off the event loop, and stops for a client that leaves', async () => {
  const { url } = await open()
  const leaving = request(`${url}/huge`, { headers: { 'accept-encoding': 'gzip' }, agent: false })
  leaving.on('error', () => undefined)
  leaving.end()
  let ticks = 0
  const probe = setInterval(() => (ticks += 1), 1)
  const bodies = await Promise.all(Array.from({ length: 4 }, () => get(`${url}/huge`, 'gzip')))
  leaving.destroy()
  clearInterval(probe)
  for (const { answer, body } of bodies) {
    const text = answer.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
    expect(String(text) === HUGE).toBe(true)
  }
  expect(bodies.some(({ answer }) => answer.headers['content-encoding'] === 'gzip')).toBe(true)
  // Compressed on the loop, 17 MB would leave it free a few times only.
  expect(ticks).toBeGreaterThan(20)
})

it('every 401 names the scheme, also one that a route writes itself', async () => {
  const { url } = await startListener({
    routes: (app) => {
      app.get('/closed', (c) => c.json({ error: 'no' }, 401))
      app.get('/own', (c) => c.json({ error: 'no' }, 401, { 'WWW-Authenticate': 'Basic' }))
    },
  })
  expect((await get(`${url}/closed`)).answer.headers['www-authenticate']).toBe('Bearer')
  expect((await get(`${url}/own`)).answer.headers['www-authenticate']).toBe('Basic')
})
