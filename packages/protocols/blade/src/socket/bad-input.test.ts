import { asSessionId } from '@polylogue/engine'
import { finishes, says } from '@polylogue/testkit'
import { connect } from 'node:net'
import { WebSocket } from 'ws'
import { describe, expect, it } from 'vitest'
import { openTestDoor, type TestDoor } from '../test-support/open-test-door.ts'

function nest(depth: number): unknown {
  let value: unknown = 'deep'
  for (let level = 0; level < depth; level++) value = [value]
  return value
}

const SESSION = '00000000-0000-7000-8000-000000000001'

describe('a payload', () => {
  it.each([
    ['none', undefined],
    ['null', null],
    ['a text', 'hello'],
    ['a list', [1, 2]],
    ['no message', { session_id: SESSION }],
    ['an empty message', { session_id: SESSION, message: '  ' }],
    ['a message of no parts', { session_id: SESSION, message: [] }],
    [
      'a message of blank parts',
      {
        session_id: SESSION,
        message: [
          { type: 'text', text: '' },
          { type: 'text', text: ' \n' },
        ],
      },
    ],
    ['a message of numbers', { session_id: SESSION, message: [1] }],
    ['a part of an unknown kind', { session_id: SESSION, message: [{ type: 'audio' }] }],
    ['an invalid image', { session_id: SESSION, message: [{ type: 'image_url', image_url: { url: 'file:///etc' } }] }],
    ['a file where none is taken', { session_id: SESSION, message: [{ type: 'file', name: 'a', data: 'aGk=' }] }],
    ['an answer without an id', { session_id: SESSION, message: '', askuser_answer: {} }],
    ['a session id of another type', { session_id: 7, message: 'hi' }],
    ['a session id that is too long', { session_id: 'x'.repeat(65), message: 'hi' }],
    ['65 levels', { session_id: SESSION, message: 'hi', output_schema: { a: nest(65) } }],
    ['too many keys', { session_id: SESSION, message: 'hi', extra: Array.from({ length: 10_001 }, () => ({ a: 0 })) }],
    ['a text that is too long', { session_id: SESSION, message: ' a'.repeat(600_000) }],
    ['bytes', { session_id: SESSION, message: Buffer.from('hi') }],
    ['a replay', { session_id: SESSION, message: 'hi', replay_decision: 'keep_replay' }],
    ['a what-if', { session_id: SESSION, message: 'hi', whatif: { from_step: 1 } }],
    ['an environment', { session_id: SESSION, message: 'hi', runtime_env: { A: 'b' } }],
  ])('with %s is refused in words', async (_what, payload) => {
    const door = await openTestDoor()
    expect(await door.session()).toBe(SESSION)
    const client = await door.client()
    const ack: unknown = await client.socket.emitWithAck('chat:send', payload)
    expect(ack).toMatchObject({ status: 'error', code: 'invalid_payload', message: expect.any(String) })
    expect(client.of('chat:start')).toEqual([])
    expect(door.logged).toEqual([])
  })

  it.each(['session:subscribe', 'session:unsubscribe', 'chat:stop', 'chat:compact'])(
    'of %s is checked too',
    async (event) => {
      const door = await openTestDoor()
      const client = await door.client()
      for (const payload of [{}, { session_id: [] }, 'x', null]) {
        const ack: unknown = await client.socket.emitWithAck(event, payload)
        expect(ack).toMatchObject({ status: 'error', code: 'invalid_payload' })
      }
    },
  )

  it('may have unknown fields, and come in unknown events', async () => {
    const door = await openTestDoor()
    const client = await door.client()
    client.socket.emit('asr:start', { a: 1 })
    client.socket.emit('__proto__', { a: 1 })
    const payload = { session_id: await door.session(), message: 'hi', mode: null, model: null, later: true }
    expect(await client.socket.emitWithAck('chat:send', payload)).toMatchObject({ status: 'ok' })
  })

  it('may write its session in capitals, as over REST', async () => {
    const door = await openTestDoor()
    const client = await door.client()
    const sessionId = await door.session({ sessionId: asSessionId('01900000-0000-7abc-8def-00000000abcd') })
    expect(await client.subscribe(sessionId.toUpperCase())).toEqual({ status: 'ok' })
    expect(await client.send(sessionId.toUpperCase(), 'hi')).toMatchObject({ status: 'ok' })
    await client.until('chat:end')
    expect(client.of('chat:start')).toMatchObject([{ session_id: sessionId }])
  })

  it('copies a file into the workspace and gives the model its path', async () => {
    const kept: string[] = []
    const door = await openTestDoor({
      attachFile: async ({ name, bytes }) => {
        kept.push(`${name}: ${Buffer.from(bytes).toString()}`)
        return { path: `uploads/${name}`, remove: async () => undefined }
      },
    })
    const client = await door.client()
    const sessionId = await door.session()
    await client.say(sessionId, [
      { type: 'text', text: 'read it' },
      { type: 'file', name: 'a.csv', data: Buffer.from('1,2').toString('base64') },
    ])
    expect(kept).toEqual(['a.csv: 1,2'])
    expect(client.state(sessionId).turns[0]).toMatchObject({
      blocks: [{ content: 'read it' }],
      attachments: [
        { type: 'file', name: 'a.csv', path: 'uploads/a.csv', url: `/api/sessions/${sessionId}/files/uploads/a.csv` },
      ],
    })
    expect(JSON.stringify(door.model.requests[0]?.messages)).toContain('uploads/a.csv')
  })
})

/** Frames as a client would never send them. */
async function sendFrames(door: TestDoor, frames: readonly (string | Buffer)[], token?: string): Promise<number> {
  const socket = new WebSocket(`ws://127.0.0.1:${door.port}/socket.io/?EIO=4&transport=websocket`)
  const closed = new Promise<number>((resolve) => socket.on('close', resolve))
  socket.on('error', () => undefined)
  await new Promise((resolve) => socket.once('message', resolve))
  if (token !== undefined) {
    const joined = new Promise((resolve) => socket.once('message', resolve))
    socket.send(`40${JSON.stringify({ token })}`)
    await joined
  }
  for (const frame of frames) socket.send(frame)
  return closed
}

describe('a frame', () => {
  it.each([
    ['of an unknown type', ['9']],
    ['with attachments without end', ['451000000000-["chat:send",{"_placeholder":true,"num":0}]']],
    ['whose event is a list', ['42[["chat:send"],{}]']],
    ['whose acknowledgement has no end', [`42${'9'.repeat(400)}["chat:send",{}`]],
    ['that is no JSON', ['42["chat:send",']],
    ['of bytes that nobody announced', [Buffer.alloc(64)]],
    ['of millions of values', [`421["chat:stop",{"session_id":"x","a":[${'{},'.repeat(2e6)}{}]}]`]],
    ['of a million levels', [`421["chat:stop",${'['.repeat(1e6)}${']'.repeat(1e6)}]`]],
  ])('%s ends the connection and nothing else', async (_what, frames) => {
    const door = await openTestDoor()
    await sendFrames(door, frames, 'ann')
    const client = await door.client()
    expect(client.socket.connected).toBe(true)
  })

  it('of a hundred thousand levels is refused in words', async () => {
    const door = await openTestDoor()
    const socket = new WebSocket(`ws://127.0.0.1:${door.port}/socket.io/?EIO=4&transport=websocket`)
    const heard: string[] = []
    const acked = Promise.withResolvers<void>()
    socket.on('message', (data: Buffer) => {
      heard.push(data.toString())
      if (heard.length === 1) socket.send('40{"token":"ann"}')
      if (heard.length === 2) socket.send(`427["chat:stop",${'['.repeat(1e5)}${']'.repeat(1e5)}]`)
      if (heard.length === 3) acked.resolve()
    })
    await acked.promise
    expect(heard[2]).toContain('437[{"status":"error","code":"invalid_payload"')
    socket.close()
  })

  it('of a polling request may be one of many, but not of thousands', async () => {
    const door = await openTestDoor()
    const url = `http://127.0.0.1:${door.port}/socket.io/?EIO=4&transport=polling`
    const { sid } = JSON.parse((await (await fetch(url)).text()).slice(1)) as { sid: string }
    const post = (body: string) => fetch(`${url}&sid=${sid}`, { method: 'POST', body })
    expect((await post('40{"token":"ann"}')).status).toBe(200)
    expect((await post(Array.from({ length: 1_000 }, () => '6').join('\u001e'))).status).toBe(200)
    expect((await fetch(`${url}&sid=${sid}`)).status).toBe(200)
    await post(Array.from({ length: 1_001 }, () => '6').join('\u001e'))
    expect((await fetch(`${url}&sid=${sid}`)).status).toBe(400)
  })

  it('before authentication may hold only the handshake', async () => {
    const door = await openTestDoor()
    await sendFrames(door, ['42["chat:send",{"session_id":"x","message":"hi"}]'])
    await sendFrames(door, [`40${JSON.stringify({ token: 'x'.repeat(2 * 1024 * 1024) })}`])
    expect(door.sockets().open).toBe(0)
  })

  it('may be larger once its sender is known, up to the limit', async () => {
    const door = await openTestDoor({ limits: { messageBytes: 3 * 1024 * 1024 } })
    const client = await door.client()
    const sessionId = await door.session()
    const image = (bytes: number) => `data:image/png;base64,${Buffer.alloc(bytes, 7).toString('base64')}`
    const send = (bytes: number) => client.send(sessionId, [{ type: 'image_url', image_url: { url: image(bytes) } }])
    expect(await send(1_500_000)).toMatchObject({ status: 'ok' })
    const gone = new Promise((resolve) => client.socket.once('disconnect', resolve))
    client.socket.io.reconnection(false)
    void send(4 * 1024 * 1024)
    expect(await gone).toBe('transport close')
  })

  it('is counted after an upgrade too, until its sender is known', async () => {
    const door = await openTestDoor()
    const address = `127.0.0.1:${door.port}/socket.io/?EIO=4`
    const { sid } = JSON.parse((await (await fetch(`http://${address}&transport=polling`)).text()).slice(1))
    const socket = new WebSocket(`ws://${address}&transport=websocket&sid=${sid}`)
    socket.on('error', () => undefined)
    const closed = new Promise((resolve) => socket.on('close', resolve))
    await new Promise((resolve) => socket.once('open', resolve))
    socket.send('x'.repeat(2 * 1024 * 1024))
    await closed
    const client = await door.client({ transports: ['polling', 'websocket'] })
    const upgraded = new Promise<void>((resolve) => client.socket.io.engine.once('upgrade', () => resolve()))
    if (client.socket.io.engine.transport.name !== 'websocket') await upgraded
    const url = `data:image/png;base64,${Buffer.alloc(1_500_000, 7).toString('base64')}`
    const ack = await client.send(await door.session(), [{ type: 'image_url', image_url: { url } }])
    expect(ack).toMatchObject({ status: 'ok' })
  })

  it('of a polling client is bounded before authentication', async () => {
    const door = await openTestDoor()
    const address = `http://127.0.0.1:${door.port}/socket.io/?EIO=4&transport=polling`
    const { sid } = JSON.parse((await (await fetch(address)).text()).slice(1))
    const body = `40${JSON.stringify({ token: 'x'.repeat(2 * 1024 * 1024) })}`
    const answer = await fetch(`${address}&sid=${sid}`, { method: 'POST', body })
    expect(answer.status).toBe(413)
  })
})

describe('a client that does not read', () => {
  it('is disconnected before much waits for it, and others are not affected', async () => {
    const door = await openTestDoor()
    const sessionId = await door.session()
    const healthy = await door.client()
    await healthy.subscribe(sessionId)
    const raw = connect(door.port, '127.0.0.1')
    const ended = new Promise((resolve) => raw.on('close', resolve))
    raw.on('error', () => undefined)
    let heard = ''
    raw.on('data', (chunk) => (heard += chunk.toString('latin1')))
    const key = Buffer.alloc(16, 1).toString('base64')
    raw.write(
      `GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
    )
    await expect.poll(() => heard, { interval: 5 }).toContain('0{"sid"')
    raw.write(frame('40{"token":"ann"}'))
    await expect.poll(() => heard, { interval: 5 }).toContain('40{"sid"')
    raw.write(frame(`427["session:subscribe",{"session_id":"${sessionId}"}]`))
    await expect.poll(() => heard, { interval: 5 }).toContain('437[{"status":"ok"}]')
    raw.pause()
    // The kernel takes many megabytes before anything waits here.
    let runs = 0
    while (door.sockets().dropped === 0 && runs < 100) {
      door.model.push([says('y'.repeat(1024 * 1024)), finishes()])
      await healthy.say(sessionId, 'more')
      runs++
    }
    expect(door.sockets().dropped).toBe(1)
    raw.resume()
    await ended
    expect(healthy.of('chat:end')).toHaveLength(runs)
    expect(door.sockets().open).toBe(1)
  })
})

/** One text frame of a client, masked with zeros. */
function frame(text: string): Buffer {
  const bytes = Buffer.from(text)
  const head = bytes.length < 126 ? [0x81, 0x80 | bytes.length] : [0x81, 0xfe, bytes.length >> 8, bytes.length & 0xff]
  return Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), bytes])
}
