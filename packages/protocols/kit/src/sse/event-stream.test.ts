import { createFakeClock } from '@polylogue/testkit'
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { EventStream } from './event-stream.ts'
import { FlushQueue } from './flush-queue.ts'
import { Heartbeats } from './heartbeats.ts'

const open: Server[] = []

afterEach(async () => {
  for (const server of open.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

/** One stream over a real socket: the response as the server has it, and what the client reads. */
async function openStream(outBufferBytes = 512 * 1024, heartbeatMs = 1_000) {
  const clock = createFakeClock()
  const queue = new FlushQueue()
  const reached = Promise.withResolvers<ServerResponse>()
  const server = createServer((_request, response) => reached.resolve(response))
  open.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const answered = Promise.withResolvers<IncomingMessage>()
  const asked = request({ port, host: '127.0.0.1', agent: false }, answered.resolve)
  // Some of these streams are never answered, or are cut.
  asked.on('error', () => undefined)
  asked.end()
  const outgoing = await reached.promise
  const writes: string[] = []
  const write = outgoing.write.bind(outgoing)
  const note = (chunk: string, onWritten: () => void) => (writes.push(textIn(chunk)), write(chunk, onWritten))
  outgoing.write = note as typeof outgoing.write
  const slow = { count: 0 }
  const onSlow = (): void => void slow.count++
  const heartbeats = new Heartbeats(clock, heartbeatMs)
  const stream = new EventStream(outgoing, { queue, clock, heartbeats, patienceMs: 4_000, outBufferBytes, onSlow })
  return { stream, outgoing, writes, clock, slow, incoming: answered.promise }
}

/** A chunk of HTTP's chunked coding is its length, a line end, the text, a line end. */
const textIn = (chunk: string): string => chunk.slice(chunk.indexOf('\r\n') + 2, -2)

/** Resolves when all of this was written, in however many pieces. */
async function written(writes: readonly string[], text: string): Promise<void> {
  while (writes.join('') !== text) await setImmediate()
}

async function readAll(incoming: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of incoming.setEncoding('utf8')) text += String(chunk)
  return text
}

describe('an event stream', () => {
  it('writes its first frames at once, and later ones together', async () => {
    const { stream, writes } = await openStream()
    for (const frame of ['a', 'b', 'c']) stream.send(frame)
    expect(writes).toEqual([])
    await Promise.resolve()
    expect(writes).toEqual(['abc'])
    // A busy machine may take longer between two frames than they wait for each other, but not every time.
    for (let [text, before] = ['abc', 1]; ; before = writes.length) {
      stream.send('x')
      await setImmediate()
      stream.send('y')
      text += 'xy'
      await written(writes, text)
      if (writes.length === before + 1) break
    }
  })

  it('does not keep its end waiting', async () => {
    const { stream, incoming } = await openStream()
    stream.send('a')
    await Promise.resolve()
    stream.send('b')
    await setImmediate()
    stream.end()
    expect(await readAll(await incoming)).toBe('ab')
  })

  it('ends after its last frame, which arrives', async () => {
    const { stream, incoming } = await openStream()
    stream.send('first')
    stream.send('last')
    stream.end()
    stream.send('too late')
    const answer = await incoming
    expect(answer.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    })
    expect(await readAll(answer)).toBe('firstlast')
  })

  it('sends its headers immediately on begin, without any event', async () => {
    const { stream, incoming } = await openStream()
    stream.begin()
    expect((await incoming).statusCode).toBe(200)
  })

  it('keeps frames in order behind one that is still being made, and ends after it', async () => {
    const { stream, incoming } = await openStream()
    const slow = Promise.withResolvers<string>()
    stream.send('1')
    stream.sendLater(slow.promise)
    stream.send('3')
    stream.sendLater(Promise.resolve('4'))
    stream.send('5')
    stream.end()
    await setImmediate()
    slow.resolve('2')
    expect(await readAll(await incoming)).toBe('12345')
  })

  it('is dropped when a frame cannot be made', async () => {
    const { stream, outgoing } = await openStream()
    const closed = Promise.withResolvers<void>()
    stream.whenClosed(closed.resolve)
    stream.sendLater(Promise.reject(new Error('gone')))
    stream.sendLater(Promise.reject(new Error('gone too')))
    await closed.promise
    expect(outgoing.destroyed).toBe(true)
  })

  it('pings after each interval of silence, and only then', async () => {
    const { stream, writes, clock } = await openStream()
    stream.send('a')
    await setImmediate()
    clock.advance(600)
    stream.send('b')
    await written(writes, 'ab')
    clock.advance(600)
    await setImmediate()
    expect(writes).toEqual(['a', 'b'])
    clock.advance(400)
    await written(writes, 'ab: ping\n\n')
    clock.advance(1_000)
    await written(writes, 'ab: ping\n\n: ping\n\n')
  })

  it('drops a reader that lets more than the limit pile up', async () => {
    const { stream, outgoing, clock, slow, incoming } = await openStream(64 * 1024)
    stream.begin()
    const answer = await incoming
    answer.pause()
    let isClosed = false
    stream.whenClosed(() => (isClosed = true))
    const frame = 'x'.repeat(16 * 1024)
    let peak = 0
    for (let sent = 0; !isClosed && sent < 10_000; sent++) {
      stream.send(frame)
      await setImmediate()
      peak = Math.max(peak, outgoing.writableLength)
    }
    expect(isClosed).toBe(true)
    expect(outgoing.destroyed).toBe(true)
    expect(peak).toBeLessThan(128 * 1024)
    expect(slow.count).toBe(1)
    expect(clock.pendingTimers()).toBe(0)
    answer.on('error', () => undefined).destroy()
  })

  it('takes a single event larger than the limit', async () => {
    const { stream, incoming } = await openStream(1_024)
    const large = 'y'.repeat(8 * 1024 * 1024)
    stream.send(large)
    stream.end()
    expect(await readAll(await incoming)).toBe(large)
  })

  it('says that it is congested long before it drops its reader, and when that is over', async () => {
    const { stream, incoming } = await openStream(256 * 1024)
    stream.begin()
    const answer = await incoming
    answer.pause()
    let sent = 0
    for (; !stream.isFull; sent++) {
      stream.send('x'.repeat(16 * 1024))
      await setImmediate()
    }
    let isDrained = false
    const drained = stream.room('past').then(() => (isDrained = true))
    await setImmediate()
    expect(isDrained).toBe(false)
    answer.resume()
    await drained
    expect(stream.isFull).toBe(false)
    stream.end()
  })

  it('drops a reader that takes nothing for a minute while the past waits for it', async () => {
    const { stream, outgoing, clock, slow, incoming } = await openStream(256 * 1024)
    stream.begin()
    const answer = await incoming
    answer.pause()
    while (!stream.isFull) {
      stream.send('x'.repeat(16 * 1024))
      await setImmediate()
    }
    const drained = stream.room('past')
    await setImmediate()
    clock.advance(4_000)
    await drained
    expect(outgoing.destroyed).toBe(true)
    expect(slow.count).toBe(1)
    answer.on('error', () => undefined).destroy()
  })

  it('continues for a client that reads steadily, even slowly with much waiting', async () => {
    const { stream, clock, slow, incoming } = await openStream(256 * 1024, 1_000_000)
    const frame = '\u{1F600}x'.repeat(200_000)
    const frames = 24
    const whole = Buffer.byteLength(frame) * frames
    stream.onStalled(() => undefined)
    stream.begin()
    const answer = await incoming
    for (let sent = 0; sent < frames; sent++) stream.send(frame)
    const room = stream.room('live')
    await setImmediate()
    let received = 0
    let text = ''
    const reader = answer.setEncoding('utf8')[Symbol.asyncIterator]()
    while (received < whole) {
      // Some megabytes, so that the system notices, then a pause that is almost too long.
      for (const until = received + 6_000_000; received < Math.min(until, whole);) {
        const { value } = (await reader.next()) as { value: string }
        received += Buffer.byteLength(value)
        text += value
      }
      await setImmediate()
      clock.advance(4_900)
    }
    await room
    expect(slow.count).toBe(0)
    expect(text === frame.repeat(frames)).toBe(true)
    stream.end()
  })

  it('disconnects a client that does not read the rest when the stream ends', async () => {
    const { stream, outgoing, clock, incoming } = await openStream()
    stream.begin()
    const answer = await incoming
    answer.pause()
    stream.send('x'.repeat(16 * 1024 * 1024))
    await setImmediate()
    stream.end()
    await setImmediate()
    clock.advance(4_000)
    expect(outgoing.destroyed).toBe(true)
    answer.on('error', () => undefined).destroy()
  })

  it('releases everything when the client leaves', async () => {
    const { stream, clock, slow, incoming } = await openStream()
    const closed = Promise.withResolvers<void>()
    stream.whenClosed(closed.resolve)
    stream.begin()
    const answer = await incoming
    answer.on('error', () => undefined).destroy()
    await closed.promise
    stream.send('into the void')
    stream.end()
    await setImmediate()
    expect(clock.pendingTimers()).toBe(0)
    expect(slow.count).toBe(0)
  })

  it('that is opened after the client has left is closed from the start', async () => {
    const { outgoing, clock } = await openStream()
    outgoing.destroy()
    const options = { clock, patienceMs: 4_000, outBufferBytes: 1, onSlow: () => undefined }
    const heartbeats = new Heartbeats(clock, 1_000)
    const late = new EventStream(outgoing, { ...options, heartbeats, queue: new FlushQueue() })
    let isClosed = false
    late.whenClosed(() => (isClosed = true))
    expect(isClosed).toBe(true)
  })
})
