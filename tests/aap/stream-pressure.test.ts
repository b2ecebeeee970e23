import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DIALECTS, V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import { readMetric } from '../streams/support/read-metric.ts'
import { eventually } from '../support/eventually.ts'
import { textOf } from '../support/played-turn.ts'
import { NEXT, call, script } from '../support/script.ts'
import { createSseParser } from '../support/sse-parser.ts'
import type { SseStream } from '../support/sse-stream.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { openRawTurn, splitAnswer } from './raw-turn.ts'

const MEBIBYTE = 1024 * 1024
/** At some 90 bytes an event, several times what the kernel takes for a reader that does not read. */
const TOKENS = 120_000
const LONGEST_WAIT_MS = 20_000

let server: TestServer
const idle = new Map<string, SseStream>()

beforeAll(async () => {
  server = await startTestServer()
  for (const dialect of DIALECTS) {
    const session = await openSession(server.client(dialect))
    idle.set(dialect.name, await session.stream('delta', 'sleep 120000'))
  }
})

afterAll(async () => {
  for (const stream of idle.values()) stream.cut()
  await server.stop()
})

/** Reads no more than so many bytes a second, until the server has ended the answer. */
async function readAt(socket: Socket, bytesPerSecond: number): Promise<Buffer> {
  const began = performance.now()
  const received: Buffer[] = []
  let size = 0
  for await (const bytes of socket) {
    received.push(bytes as Buffer)
    size += (bytes as Buffer).length
    const early = (size / bytesPerSecond) * 1000 - (performance.now() - began)
    if (early > 0) await delay(early)
  }
  return Buffer.concat(received)
}

/** What still lies in the buffers of a connection that the server gave up. */
async function drain(socket: Socket): Promise<Buffer> {
  const received: Buffer[] = []
  socket.on('error', () => socket.destroy())
  await new Promise<void>((resolve) => {
    socket.on('data', (bytes: Buffer) => received.push(bytes))
    socket.on('close', () => resolve())
  })
  return Buffer.concat(received)
}

describe.each(DIALECTS)('streams under pressure at $base', (dialect) => {
  const { mark } = dialect

  it(
    `aap 85${mark}: a slow reader is dropped within bounds and does not slow others down`,
    { timeout: 90_000 },
    async () => {
      const client = server.client(dialect)
      const dropped = (): Promise<number> => readMetric(server, 'polylogue_readers_dropped_total')
      const before = await dropped()
      const session = await openSession(client)
      const watching = await server.client(V3).events(session.id, '?follow=1')
      const body = JSON.stringify({ stream: 'delta', messages: [{ role: 'user', content: `tokens ${TOKENS}` }] })
      const sleepy = await openRawTurn(client.exchange('POST', dialect.turns(session.id), { body }))
      await watching.until(({ event, data }) => event === 'text_delta' && data['delta'] === 'x ')

      const other = await openSession(client)
      const times: number[] = []
      for (let round = 0; round < 20; round++) {
        const began = performance.now()
        expect((await other.play('delta', 'say quick')).text).toBe('quick')
        times.push(performance.now() - began)
      }
      expect(Math.max(...times)).toBeLessThan(1500)

      await watching.untilCount('turn_stop', dialect === V3 ? 1 : 2)
      watching.cut()
      await eventually(async () => ((await dropped()) > before ? true : undefined), 'the slow reader is dropped')
      const received = await drain(sleepy)
      const { chunks, isComplete } = splitAnswer(received)
      expect(isComplete).toBe(false)
      expect(received.length).toBeLessThan(8 * MEBIBYTE)

      const whole = 'x '.repeat(TOKENS)
      expect(textOf(await session.talk())).toBe(whole)
      if (dialect !== V3) return
      const seen = createSseParser().feed(chunks)
      const first = seen.map(({ data }) => String(data['delta'] ?? '')).join('')
      const rest = await (await client.events(session.id, `?after=${seen.at(-1)?.id}`)).finished()
      const after = rest.map(({ data }) => String(data['delta'] ?? '')).join('')
      expect(first.length).toBeGreaterThan(0)
      expect(first + after === whole).toBe(true)
      expect(rest.at(-1)?.data).toMatchObject({ event: 'turn_stop', stopReason: 'end_turn' })
    },
  )
})

describe.each(DIALECTS)('bursts at $base', (dialect) => {
  const { mark } = dialect

  it(`aap 85${mark}: a client that reads steadily at a megabyte a second is not cut`, { timeout: 90_000 }, async () => {
    const client = server.client(dialect)
    const session = await openSession(client)
    const body = JSON.stringify({ stream: 'delta', messages: [{ role: 'user', content: `tokens ${TOKENS}` }] })
    const socket = await openRawTurn(client.exchange('POST', dialect.turns(session.id), { body }))
    const { chunks, isComplete } = splitAnswer(await readAt(socket, MEBIBYTE))
    expect(isComplete).toBe(true)
    const text = createSseParser()
      .feed(chunks)
      .map(({ data }) => String(data['delta'] ?? ''))
      .join('')
    expect(text === 'x '.repeat(TOKENS)).toBe(true)
  })

  it(`aap 85${mark}: a reader that reads gets a burst larger than its buffer whole`, async () => {
    const session = await openSession(server.client(dialect), { tools: [{ name: 'echo', trust: true }] })
    for (const mode of ['delta', 'message'] as const) {
      const messages = Array.from({ length: 6 }, (_, index) => `${mode}${index} `.padEnd(150_000, 'burst '))
      const calls = messages.map((msg, index) => call(`${mode}${index}`, 'echo', { msg }))
      const played = await session.play(mode, script(...calls, NEXT, 'say done'))
      expect(played.results.map(({ content }) => content).toSorted()).toEqual(messages.toSorted())
      expect(played).toMatchObject({ stopReason: 'end_turn', text: 'done' })
    }
  })
})

describe.each(DIALECTS)('idle streams at $base', (dialect) => {
  const { mark, name } = dialect

  it(`aap 79${mark}: an idle stream carries comment heartbeats`, { timeout: LONGEST_WAIT_MS + 5000 }, async () => {
    const stream = idle.get(name)
    if (!stream) throw new Error('no idle stream')
    const timeout = AbortSignal.timeout(LONGEST_WAIT_MS)
    const late = new Promise<never>((_, reject) => {
      timeout.addEventListener('abort', () => reject(new Error('no heartbeat in time')))
    })
    await Promise.race([stream.untilComment(), late])
    expect(stream.comments.length).toBeGreaterThanOrEqual(1)
    expect(stream.frames.map(({ event }) => event)).toEqual(['turn_start'])
  })
})
