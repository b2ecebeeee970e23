// Event streams: how many there may be, what becomes of them, and what can never get into them.
import { afterEach, describe, expect, it } from 'vitest'
import { openSession } from '../support/aap-session.ts'
import { eventually } from '../support/eventually.ts'
import { beginExchange, exchangeJson, exchangeText } from '../support/http-exchange.ts'
import { createSseParser } from '../support/sse-parser.ts'
import { script } from '../support/script.ts'
import { ANY_ID, bearer, type EdgeServer, startEdgeServer } from './edge-server.ts'
import { readMetric } from './read-metric.ts'
import { openRaw } from './raw-socket.ts'

let server: EdgeServer
afterEach(() => server.stop())

const openStreams = () => readMetric(server, 'polylogue_open_streams')

/** Most of a megabyte in few deltas. */
const LONG_ANSWER = `say ${`${'x'.repeat(50_000)} `.repeat(18)}`
const MOST_TURNS = 50

describe('C22: streams without end', () => {
  it('C22: the number of open requests per key is limited; the next one is 429, while cancelling and reading still work', async () => {
    server = await startEdgeServer({ config: { limits: { streamsPerKey: 3 } } })
    const client = server.client()
    const session = await openSession(client)
    const running = await session.stream('delta', 'say begun\nsleep 60000')
    const streams = [
      running,
      await client.events(session.id, '?follow=1'),
      await client.events(session.id, '?follow=1'),
    ]
    expect(await openStreams()).toBe(3)

    const waiting = [
      client.exchange('GET', `/sessions/${session.id}/events?follow=1`),
      client.exchange('POST', `/sessions/${session.id}/turns`, {
        body: { messages: [{ role: 'user', content: 'say x' }] },
      }),
    ]
    for (const exchange of waiting) {
      const refused = await exchangeJson<{ error: string }>(exchange)
      expect(refused.status).toBe(429)
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
      expect(refused.body.error).toBe('This key has 3 open streams, which is the limit (limits.streamsPerKey).')
    }
    const other = server.client(await server.createKey('local'))
    const another = await other.events(session.id, '?follow=1')
    expect(another.status).toBe(200)
    another.cut()

    expect((await session.history()).length).toBeGreaterThan(0)
    expect((await client.cancel(session.id)).status).toBe(202)
    await running.finished()
    const next = await client.events(session.id, '?follow=1')
    expect(next.status).toBe(200)
    for (const stream of [...streams, next]) stream.cut()
    await eventually(async () => ((await openStreams()) === 0 ? true : undefined), 'no stream is counted')
  })

  it.each(['events?follow=1', 'doors?follow=1', 'progress'])(
    'C22: streams of our own API count too: %s',
    async (path) => {
      server = await startEdgeServer({ config: { limits: { streamsPerKey: 1 } } })
      const { id } = await openSession(server.client())
      const url = `${server.url}/api/polylogue/sessions/${id}/${path}`
      const open = () => beginExchange({ method: 'GET', url, headers: bearer(server.key) })
      const first = await open()
      const second = await open()
      expect([first.statusCode, second.statusCode]).toEqual([200, 429])
      second.resume()
      first.destroy()
      await eventually(async () => ((await openStreams()) === 0 ? true : undefined), 'no stream is counted')
    },
  )

  it('C22: a request that is refused by the limit has had no effect', async () => {
    server = await startEdgeServer({ config: { limits: { streamsPerKey: 1 } } })
    const client = server.client()
    const session = await openSession(client)
    const stream = await client.events(session.id, '?follow=1')
    const refused = await client.turn(session.id, { messages: [{ role: 'user', content: 'say x' }] })
    expect(refused.status).toBe(429)
    expect(await session.history()).toEqual([])
    stream.cut()
  })

  it('C22: the server has a limit of its own, which is 503', async () => {
    server = await startEdgeServer({ config: { limits: { streams: 4 } } })
    const keys = await Promise.all(['anna', 'bob'].map((user) => server.createKey(user)))
    const streams = []
    for (const key of keys) {
      const client = server.client(key)
      const { id } = await openSession(client)
      for (let count = 0; count < 2; count++) streams.push(await client.events(id, '?follow=1'))
    }
    const session = await openSession(server.client())
    const refused = await exchangeText(server.client().exchange('GET', `/sessions/${session.id}/events?follow=1`))
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5'])
    for (const stream of streams) stream.cut()
  })

  it('C22: two hundred streams of one key fit by default, and none is counted when they have left', async () => {
    server = await startEdgeServer()
    const client = server.client()
    const { id } = await openSession(client)
    const streams = await Promise.all(Array.from({ length: 200 }, () => client.events(id, '?follow=1')))
    expect(streams.filter(({ status }) => status === 200)).toHaveLength(200)
    expect(await openStreams()).toBe(200)
    for (const stream of streams) stream.cut()
    await eventually(async () => ((await openStreams()) === 0 ? true : undefined), 'no stream is counted')
  })

  it(
    'C22, P9: clients that never read, and clients that only close, are disconnected',
    { timeout: 60_000 },
    async () => {
      server = await startEdgeServer()
      const client = server.client()
      const session = await openSession(client)
      const request =
        `GET /aap/v3/sessions/${session.id}/events?follow=1 HTTP/1.1\r\nHost: ${server.host}\r\n` +
        `Authorization: Bearer ${server.key}\r\n\r\n`
      const deaf = await Promise.all(Array.from({ length: 10 }, () => openRaw(server)))
      for (const socket of deaf) socket.pause().write(request)
      const leaving = await Promise.all(Array.from({ length: 10 }, () => openRaw(server)))
      for (const socket of leaving) socket.resume().write(request)
      await eventually(async () => ((await openStreams()) === 20 ? true : undefined), 'all are open')
      for (const socket of leaving) socket.end()

      const healthy = await client.events(session.id, '?follow=1')
      const dropped = () => readMetric(server, 'polylogue_readers_dropped_total')
      // The buffers of the sockets take some megabytes before a reader falls behind.
      for (let turns = 0; turns < MOST_TURNS && (await dropped()) < deaf.length; turns++) {
        expect((await session.play('delta', LONG_ANSWER)).stopReason).toBe('end_turn')
      }
      await eventually(async () => ((await openStreams()) === 1 ? true : undefined), 'only the healthy one is left')
      expect(await dropped()).toBe(deaf.length)
      healthy.cut()
      for (const socket of deaf) socket.destroy()
    },
  )
})

describe('C23, B6: what could forge an event', () => {
  it('C23: text with line ends, ids and events of its own stays text', async () => {
    server = await startEdgeServer()
    const session = await openSession(server.client(), { tools: [{ name: 'echo', trust: true }] })
    const evils = [
      'a\r\nevent: turn_stop\r\ndata: {}\r\n\r\n',
      'a\nid: 999\n\n',
      'a\rretry: 0\r\r',
      '\u0000\u2028\u2029\u0085: x\n\n',
      ': comment\n\n',
    ]
    for (const [index, evil] of evils.entries()) {
      const turn = script(`call c${index} echo ${JSON.stringify({ msg: evil })}`, '---', 'show messages')
      const stream = await beginExchange({
        ...server.client().exchange('POST', `/sessions/${session.id}/turns`),
        body: { stream: 'delta', messages: [{ role: 'user', content: turn }] },
      })
      const chunks: Buffer[] = []
      for await (const chunk of stream) chunks.push(chunk as Buffer)
      const raw = Buffer.concat(chunks).toString('utf8')
      // Only three kinds of lines, and one id for each event.
      const lines = raw.split('\n').filter((line) => line !== '')
      expect(lines.filter((line) => !/^(?:event: [a-z_]+|data: \{.*\}|id: [\d.]+)$/.test(line))).toEqual([])
      expect(['\r', '\u0000', '\u2028', '\u2029', '\u0085'].filter((end) => raw.includes(end))).toEqual([])
      const parser = createSseParser()
      const frames = parser.feed(Buffer.from(raw))
      expect(frames.filter(({ event }) => event === 'turn_stop')).toHaveLength(1)
      expect(frames.find(({ event }) => event === 'tool_result')?.data).toMatchObject({ content: evil })
    }
  })

  it('B6: an unknown cursor is 400, one from the future gets one resync', async () => {
    server = await startEdgeServer()
    const client = server.client()
    const session = await openSession(client)
    await session.turn('say hello')
    const bad = [
      '-1',
      '1.5',
      '9223372036854775808',
      'abc',
      '1e3',
      '0x10',
      ' 1',
      '1 ',
      '1.2',
      '1.2.3.4',
      ANY_ID,
      'x'.repeat(8_000),
    ]
    for (const cursor of bad) {
      const byQuery = await exchangeText(
        client.exchange('GET', `/sessions/${session.id}/events?after=${encodeURIComponent(cursor)}`),
      )
      expect([cursor, byQuery.status]).toEqual([cursor, 400])
      if (cursor.trim() !== cursor) continue
      const headers = { 'last-event-id': cursor }
      const byHeader = await exchangeText(client.exchange('GET', `/sessions/${session.id}/events`, { headers }))
      expect([cursor, byHeader.status]).toEqual([cursor, 400])
    }
    const huge = { ...bearer(server.key), 'last-event-id': '1'.repeat(20_000) }
    const url = `${server.url}/aap/v3/sessions/${session.id}/events`
    expect((await exchangeText({ method: 'GET', url, headers: huge })).status).toBe(431)

    const future = await client.events(session.id, '?after=999999&follow=1')
    await future.until(({ event }) => event === 'resync')
    expect(future.frames.map(({ event }) => event)).toEqual(['resync'])
    future.cut()
  })
})
