import { finishes, says } from '@polylogue/testkit'
import { describe, expect, it, vi } from 'vitest'
import { TestClient } from '../test-support/open-door.ts'
import { openTestDoor } from '../test-support/open-test-door.ts'

describe('connecting', () => {
  it('blade 27: takes a client that shows its key in the handshake', async () => {
    const door = await openTestDoor()
    const client = await door.client()
    expect(client.socket.connected).toBe(true)
  })

  it('takes a key from the Authorization line where the handshake has none', async () => {
    const door = await openTestDoor()
    const client = await door.client({ token: '', headers: { authorization: 'Bearer ann' } })
    expect(client.socket.connected).toBe(true)
  })

  it.each(['wrong', ''])('blade 28: refuses the key %j with a connect_error', async (token) => {
    const door = await openTestDoor()
    await expect(door.client({ token })).rejects.toThrow('unauthorized')
    expect(door.sockets().open).toBe(0)
  })

  it('blade 150: refuses a key that was revoked, and ends its open sockets', async () => {
    const door = await openTestDoor()
    const client = await door.client()
    const gone = new Promise((resolve) => client.socket.once('disconnect', resolve))
    door.revoke('ann')
    expect(await gone).toBe('io server disconnect')
    await expect(door.client()).rejects.toThrow('unauthorized')
  })

  it('refuses a socket for which there is no room with a connect_error, until another one has gone', async () => {
    const door = await openTestDoor({ most: 1 })
    const first = await door.client()
    await expect(door.client()).rejects.toThrow('too_many_sockets')
    await expect(door.client()).rejects.toThrow('too_many_sockets')
    expect(door.sockets().open).toBe(1)
    first.close()
    await vi.waitFor(() => expect(door.sockets().open).toBe(0))
    const next = await door.client()
    expect(next.socket.connected).toBe(true)
    expect(door.sockets().open).toBe(1)
  })

  it('keeps no room for a socket that has gone before it was known', async () => {
    const [asked, known] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const door = await openTestDoor({
      most: 1,
      async whileIdentifying() {
        asked.resolve()
        await known.promise
      },
    })
    const hasty = new TestClient({ url: `http://127.0.0.1:${door.port}`, token: 'ann', transports: ['websocket'] })
    hasty.socket.connect()
    await asked.promise
    hasty.close()
    known.resolve()
    const next = await vi.waitFor(() => door.client())
    expect(next.socket.connected).toBe(true)
    next.close()
    await vi.waitFor(() => expect(door.sockets().open).toBe(0))
  })

  it.each(['polling', 'websocket'] as const)('blade 29: runs a whole session over %s alone', async (transport) => {
    const door = await openTestDoor()
    door.model.push([says('one '), says('two'), finishes()])
    const sessionId = await door.session()
    const client = await door.client({ transports: [transport] })
    await client.subscribe(sessionId)
    await client.send(sessionId, 'hi')
    await client.until('chat:end')
    await client.send(sessionId, 'again')
    await client.until('chat:end', 2)
    expect(client.state(sessionId).turns).toEqual(await door.messages(sessionId))
    expect(client.socket.io.engine.transport.name).toBe(transport)
  })
})

it('JSONP cannot connect', async () => {
  const door = await openTestDoor()
  const answer = await fetch(`http://127.0.0.1:${door.port}/socket.io/?EIO=4&transport=polling&j=0`)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([403, 'application/json'])
})

describe('subscribing', () => {
  it('blade 30: sends nothing of a session to a client that has not subscribed or sent', async () => {
    const door = await openTestDoor()
    const sessionId = await door.session()
    const [sender, bystander] = [await door.client(), await door.client()]
    await sender.send(sessionId, 'hi')
    await sender.until('session:updated')
    // Whatever was sent to it before has arrived with this.
    await bystander.unsubscribe(sessionId)
    expect(bystander.told.filter(({ event }) => event !== 'session:updated')).toEqual([])
  })

  it('blade 31: sends nothing more after unsubscribing', async () => {
    const door = await openTestDoor()
    const sessionId = await door.session()
    const [watcher, sender] = [await door.client(), await door.client()]
    await watcher.subscribe(sessionId)
    await sender.send(sessionId, 'hi')
    await watcher.until('session:updated')
    await watcher.unsubscribe(sessionId)
    const before = watcher.told.length
    await sender.send(sessionId, 'again')
    await sender.until('chat:end', 2)
    await watcher.unsubscribe(sessionId)
    expect(watcher.told.length).toBe(before)
  })

  it('blade 32: sends everything once to a client that subscribed twice', async () => {
    const door = await openTestDoor()
    const sessionId = await door.session()
    const client = await door.client()
    await client.subscribe(sessionId)
    await client.subscribe(sessionId)
    await client.send(sessionId, 'hi')
    await client.until('session:updated')
    expect(client.of('chat:start')).toHaveLength(1)
    expect(client.of('turn:end')).toHaveLength(2)
  })

  it.each(['00000000-0000-7000-8000-00000000dead', 'mine'])(
    'blade 33: refuses a session that is not there: %s',
    async (id) => {
      const door = await openTestDoor()
      const own = await door.session()
      const stranger = await door.client({ token: 'ben' })
      const refused = { status: 'error', code: 'session_not_found', message: 'there is no such session' }
      expect(await stranger.subscribe(id === 'mine' ? own : id)).toEqual(refused)
      const client = await door.client()
      await client.send(own, 'hi')
      await client.until('chat:end')
      await stranger.unsubscribe(own)
      expect(stranger.told).toEqual([])
    },
  )

  it('shows a shared session to others, read-only, until sharing ends', async () => {
    const door = await openTestDoor()
    const sessionId = await door.session()
    const share = (isShared: boolean) =>
      door.engine.execute({ type: 'configure-session', userId: door.user, sessionId, changes: { isShared } })
    await share(true)
    const [owner, guest] = [await door.client(), await door.client({ token: 'ben' })]
    expect(await guest.subscribe(sessionId)).toEqual({ status: 'ok' })
    await owner.send(sessionId, 'hi')
    await guest.until('chat:end')
    const forbidden = { status: 'error', code: 'forbidden' }
    expect(await guest.send(sessionId, 'me too')).toMatchObject(forbidden)
    expect(await guest.stop(sessionId)).toMatchObject(forbidden)
    expect(await guest.compact(sessionId)).toMatchObject(forbidden)
    await share(false)
    await guest.until('session:updated', 2)
    const before = guest.told.length
    await owner.send(sessionId, 'alone')
    await owner.until('chat:end', 2)
    expect(await guest.subscribe(sessionId)).toMatchObject({ code: 'session_not_found' })
    expect(guest.told.slice(before).filter(({ event }) => event !== 'system:error')).toEqual([])
  })

  it('blade 34: loses nothing when a message follows the subscription at once', async () => {
    const door = await openTestDoor()
    const sessionId = await door.session()
    const client = await door.client()
    const acks = Promise.all([client.subscribe(sessionId), client.send(sessionId, 'hi')])
    await client.until('chat:end')
    expect(client.story()[0]).toBe('chat:start')
    expect((await acks).map(({ status }) => status)).toEqual(['ok', 'ok'])
  })

  it('blade 35: sends the run to a sender that never subscribed', async () => {
    const door = await openTestDoor()
    const client = await door.client()
    await client.send(await door.session(), 'hi')
    await client.until('chat:end')
    expect(client.story()[0]).toBe('chat:start')
  })

  it('blade 36: sends all subscribers the same in the same order', async () => {
    const door = await openTestDoor()
    const sessionId = await door.session()
    const plain = [await door.client({ isLean: false }), await door.client({ isLean: false })] as const
    const lean = await door.client()
    for (const client of [...plain, lean]) await client.subscribe(sessionId)
    door.model.push([says('a '), says('b'), finishes()])
    await lean.send(sessionId, 'hi')
    for (const client of [...plain, lean]) await client.until('session:updated')
    expect(plain[0].told).toEqual(plain[1].told)
    expect(lean.story()).toEqual(plain[0].story())
  })

  it('blade 37: takes an image of 5 MiB and lists it beside the text', async () => {
    const door = await openTestDoor()
    const sessionId = await door.session()
    const client = await door.client()
    const url = `data:image/png;base64,${Buffer.alloc(5 * 1024 * 1024, 7).toString('base64')}`
    const ack = await client.send(sessionId, [
      { type: 'text', text: 'look' },
      { type: 'image_url', image_url: { url } },
    ])
    expect(ack).toMatchObject({ status: 'ok' })
    await client.until('chat:end')
    const [user] = client.state(sessionId).turns
    expect(user).toMatchObject({
      blocks: [{ type: 'text', content: 'look' }],
      attachments: [
        { type: 'image', name: null, path: null, url: expect.stringMatching(/^\/api\/sessions\/.+\/attachments\/.+/) },
      ],
    })
    expect(door.model.requests[0]?.messages[0]).toMatchObject({
      content: [{ type: 'text' }, { type: 'image', source: { type: 'blob', mediaType: 'image/png' } }],
    })
  })
})
