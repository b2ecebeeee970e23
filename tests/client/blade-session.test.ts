// The published client's Blade store against a whole server.
import {
  createBlade,
  type Blade,
  type BladeSession,
  type BridgeEvent,
  type SessionSnapshot,
} from '@polylogue/client/blade'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { call, script } from '../support/script.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { startCutProxy, type CutProxy } from './cut-proxy.ts'

let server: TestServer
let proxy: CutProxy

beforeAll(async () => {
  server = await startTestServer()
  proxy = await startCutProxy(server.url)
})
afterAll(async () => {
  await proxy.stop()
  await server.stop()
})

function connect(): Blade {
  const blade = createBlade({ url: proxy.url, token: server.key })
  onTestFinished(() => blade.close())
  return blade
}

async function open(blade = connect(), id?: string): Promise<BladeSession> {
  const session = blade.open(id ?? (await blade.api.createSession({ solution_id: 'scripted' })))
  onTestFinished(() => session.close())
  await session.ready()
  return session
}

/** Resolves with the first snapshot for which it is so. */
async function until(session: BladeSession, isSo: (snapshot: SessionSnapshot) => boolean): Promise<SessionSnapshot> {
  while (!isSo(session.getSnapshot())) {
    await new Promise<void>((resolve) => {
      const stop = session.subscribe(() => {
        stop()
        resolve()
      })
    })
  }
  return session.getSnapshot()
}

const isResting = ({ detail }: SessionSnapshot): boolean => detail?.status === 'completed'
const turnsOf = ({ pages }: SessionSnapshot) => pages.flatMap(({ turns }) => turns)
const textOf = (snapshot: SessionSnapshot): string => JSON.stringify(turnsOf(snapshot).map(({ blocks }) => blocks))

describe('a session as a store', () => {
  it('shows what is sent and answered, and the same as the server', async () => {
    const blade = connect()
    const session = await open(blade)
    expect(session.getSnapshot()).toMatchObject({ state: 'live', pages: [], detail: { status: 'created' } })
    expect(await session.send(script('think hm', 'say Hello there'))).toMatchObject({ status: 'ok' })
    const snapshot = await until(session, isResting)
    expect(turnsOf(snapshot)).toEqual(await blade.api.messages(session.id))
    expect(session.getSnapshot()).toBe(snapshot)
  })

  it('notifies watchers of a turn about that turn only, and listeners as scheduled', async () => {
    const blade = connect()
    const id = await blade.api.createSession({ solution_id: 'scripted' })
    const flushes: (() => void)[] = []
    const session = blade.open(id, { schedule: (tell) => void flushes.push(tell) })
    onTestFinished(() => session.close())
    let heard = 0
    session.subscribe(() => (heard += 1))
    const other = await open(blade, id)
    await session.send('say one')
    await until(other, isResting)
    // Nothing was told yet: all of it waits for one flush.
    expect([heard, flushes.length]).toEqual([0, 1])
    const turns = turnsOf(session.getSnapshot())
    const told: string[] = []
    for (const { turn_id } of turns) session.watchTurn(turn_id, () => told.push(turn_id))
    flushes.splice(0)[0]?.()
    expect(heard).toBe(1)
    told.length = 0
    await session.send('say two')
    await until(other, (snapshot) => turnsOf(snapshot).length === 2 * turns.length && isResting(snapshot))
    flushes.splice(0)[0]?.()
    expect(told).toEqual([])
  })

  it('is complete when it is opened in the middle of an answer', async () => {
    const blade = connect()
    const first = await open(blade)
    await first.send(script('say one two three', 'sleep 150', 'say four', 'sleep 150', 'say five'))
    await until(first, (snapshot) => textOf(snapshot).includes('three'))
    const second = await open(connect(), first.id)
    await Promise.all([until(first, isResting), until(second, isResting)])
    const messages = await blade.api.messages(first.id)
    expect(turnsOf(second.getSnapshot())).toEqual(messages)
    expect(turnsOf(first.getSnapshot())).toEqual(messages)
  })

  it('misses and doubles nothing when its connection is cut in the middle of an answer', async () => {
    const blade = connect()
    const session = await open(blade)
    await session.send(script('say one two', 'sleep 100', 'say three', 'sleep 800', 'say four five'))
    await until(session, (snapshot) => textOf(snapshot).includes('two'))
    proxy.cut()
    await until(session, ({ state }) => state === 'offline')
    const snapshot = await until(session, (now) => now.state === 'live' && isResting(now))
    expect(turnsOf(snapshot)).toEqual(await blade.api.messages(session.id))
  })

  it('sends a message once, whenever the connection is cut', async () => {
    const blade = connect()
    const session = await open(blade)
    const sent = session.send('say only once')
    proxy.cut()
    expect(await sent).toMatchObject({ status: 'ok' })
    const snapshot = await until(session, (now) => now.state === 'live' && isResting(now))
    expect(turnsOf(snapshot).map(({ role }) => role)).toEqual(['user', 'assistant'])
  })

  it('waits for a connection until its signal aborts', async () => {
    const session = await open()
    proxy.isClosed = true
    onTestFinished(() => void (proxy.isClosed = false))
    proxy.cut()
    await until(session, ({ state }) => state === 'offline')
    const abort = new AbortController()
    const sent = session.send('say never', { signal: abort.signal })
    abort.abort(new Error('enough'))
    await expect(sent).rejects.toThrow('enough')
  })

  it('says why it cannot be opened', async () => {
    const stranger = createBlade({ url: proxy.url, token: 'nobody' })
    onTestFinished(() => stranger.close())
    expect(await stranger.open('x').ready()).toMatchObject({ state: 'failed', error: 'unauthorized' })
    const missing = connect().open('0197aaaa-0000-7000-8000-000000000000')
    expect(await missing.ready()).toMatchObject({ state: 'failed', error: expect.stringMatching(/no such session/i) })
  })
})

describe('a bridge action', () => {
  const shows = (id: string): string =>
    call(id, 'echo', { msg: JSON.stringify({ ok: true, _meta: { bridge: { action: 'map.show', payload: [1] } } }) })

  it('fires once while the session is open, and never when it is reopened', async () => {
    const [session, heard] = [await open(), [] as BridgeEvent[]]
    session.on('bridge', (event) => heard.push(event))
    await session.send(script('say look', shows('b1'), shows('b2')))
    await until(session, isResting)
    const expected = ['b1', 'b2'].map((tool_call_id) => ({ action: 'map.show', payload: [1], tool_call_id }))
    expect(heard.toSorted((a, b) => a.tool_call_id.localeCompare(b.tool_call_id))).toEqual(expected)
    const again = await open(connect(), session.id)
    const heardAgain: BridgeEvent[] = []
    again.on('bridge', (event) => heardAgain.push(event))
    await again.send('say more')
    await until(again, (now) => isResting(now) && textOf(now).includes('more'))
    expect([heard.length, heardAgain]).toEqual([2, []])
  })

  it('is not sent to a page that was reloaded while its turn ran', async () => {
    const blade = connect()
    const session = await open(blade)
    await session.send(script(shows('b1'), '---', 'sleep 400', 'say done'))
    await until(session, (snapshot) => textOf(snapshot).includes('tool_bridge'))
    const again = connect().open(session.id)
    onTestFinished(() => again.close())
    const heard: BridgeEvent[] = []
    again.on('bridge', (event) => heard.push(event))
    await until(again, (now) => isResting(now) && textOf(now).includes('done'))
    expect(heard).toEqual([])
  })
})
