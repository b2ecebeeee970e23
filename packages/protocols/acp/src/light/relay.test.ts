import { beforeEach, describe, expect, it } from 'vitest'
import { createRelay, type BackEnd, type Relay } from './relay.ts'

type Frame = Readonly<Record<string, unknown>>

/** An owner that keeps what it is sent. */
class FakeOwner implements BackEnd {
  readonly got: Frame[] = []
  isEnded = false

  send(bytes: Uint8Array): void {
    this.got.push(JSON.parse(Buffer.from(bytes).toString()) as Frame)
  }

  end(): void {
    this.isEnded = true
  }

  last(): Frame {
    return this.got.at(-1) ?? {}
  }
}

let relay: Relay
let shown: Frame[]
let notes: string[]

beforeEach(() => {
  shown = []
  notes = []
  relay = createRelay({
    profile: 'standard',
    version: '1.2.3',
    toEditor(bytes) {
      const lines = Buffer.from(bytes).toString().trimEnd().split('\n')
      shown.push(...lines.map((line) => JSON.parse(line) as Frame))
    },
    note: (sentence) => void notes.push(sentence),
  })
})

const line = (frame: object) => Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`)
const say = (frame: object) => relay.fromEditor(line(frame))
const answer = (frame: object) => relay.fromBack(line(frame))
const initialize = { id: 0, method: 'initialize', params: { protocolVersion: 1, clientCapabilities: { fs: {} } } }
const newSession = { id: 1, method: 'session/new', params: { cwd: '/w', mcpServers: [{ name: 'm' }], _meta: { a: 1 } } }
const prompt = (id: number) => ({ id, method: 'session/prompt', params: { sessionId: 's', prompt: [] } })
const nextTick = () => new Promise(setImmediate)

/** Attaches an owner that has answered everything it was asked on the way. */
async function attach(): Promise<FakeOwner> {
  const owner = new FakeOwner()
  const attached = relay.attach(owner)
  let answered = 0
  for (let round = 0; round < 3; round++) {
    for (const { id } of owner.got.slice(answered)) {
      if (String(id).startsWith('polylogue-relay')) answer({ id, result: {} })
    }
    answered = owner.got.length
    await nextTick()
  }
  await attached
  return owner
}

/** An editor that has a session open. */
async function openSession(): Promise<FakeOwner> {
  say(initialize)
  say(newSession)
  const owner = await attach()
  answer({ id: 1, result: { sessionId: 's' } })
  shown.length = 0
  return owner
}

describe('a greeting', () => {
  it('is answered before there is an owner, and forwarded once there is one', async () => {
    say(initialize)
    expect(shown).toEqual([
      { jsonrpc: '2.0', id: 0, result: expect.objectContaining({ protocolVersion: 1, authMethods: [] }) },
    ])
    say(newSession)
    expect(await relay.needsBack()).toBe(true)
    const owner = await attach()
    expect(owner.got.map(({ method, params }) => ({ method, params }))).toEqual([
      { method: 'initialize', params: initialize.params },
      { method: 'session/new', params: newSession.params },
    ])
    expect(shown).toHaveLength(1)
  })

  it.each([
    ['has a wrong version', { ...initialize, params: { protocolVersion: true } }],
    ['has wrong capabilities', { ...initialize, params: { protocolVersion: 1, clientCapabilities: [] } }],
    ['says who it is in a wrong way', { ...initialize, params: { protocolVersion: 1, clientInfo: 'x' } }],
    ['has no parameters', { id: 0, method: 'initialize' }],
    ['is of another JSON-RPC', { ...initialize, jsonrpc: '1.0' }],
  ])('that %s is left to the owner', async (_what, frame) => {
    say(frame)
    expect(shown).toEqual([])
    const owner = await attach()
    expect(owner.got).toEqual([{ jsonrpc: '2.0', ...frame }])
  })

  it('that follows another frame is left to the owner, in order', async () => {
    say(newSession)
    say(initialize)
    expect(shown).toEqual([])
    expect((await attach()).got.map(({ method }) => method)).toEqual(['session/new', 'initialize'])
  })
})

describe('frames', () => {
  it('are forwarded unchanged both ways, even if they are invalid', async () => {
    const owner = await openSession()
    const odd = Buffer.from('[1,2] \r\n')
    const raw: Uint8Array[] = []
    owner.send = (bytes) => void raw.push(bytes)
    relay.fromEditor(odd)
    relay.fromEditor(Buffer.from('not JSON\n'))
    expect(raw.map((bytes) => Buffer.from(bytes).toString())).toEqual(['[1,2] \r\n', 'not JSON\n'])
    answer({ id: null, error: { code: -32_700, message: 'not JSON' } })
    answer({ method: 'session/update', params: { sessionId: 's', update: {} } })
    expect(shown).toHaveLength(2)
  })

  it('of the owner are sent in whole lines', async () => {
    await openSession()
    const update = line({ method: 'session/update', params: { update: { text: 'é' } } })
    relay.fromBack(update.subarray(0, 60))
    expect(shown).toEqual([])
    relay.fromBack(Buffer.concat([update.subarray(60), update]))
    expect(shown).toHaveLength(2)
  })
})

describe('when the owner is gone', () => {
  it('an open prompt answers interrupted, and a half line is dropped', async () => {
    await openSession()
    say(prompt(2))
    relay.fromBack(Buffer.from('{"jsonrpc":"2.0","id":2,"resu'))
    relay.lost()
    expect(shown).toEqual([
      { jsonrpc: '2.0', id: 2, error: { code: -32_603, message: expect.any(String), data: { reason: 'interrupted' } } },
    ])
  })

  it('the next one gets the greeting and the open sessions before anything else', async () => {
    await openSession()
    relay.lost()
    expect(await relay.needsBack()).toBe(true)
    say(prompt(3))
    const next = await attach()
    expect(next.got.map(({ method, params }) => ({ method, params }))).toEqual([
      { method: 'initialize', params: initialize.params },
      { method: 'session/resume', params: { sessionId: 's', cwd: '/w', mcpServers: [{ name: 'm' }] } },
      { method: 'session/prompt', params: prompt(3).params },
    ])
    expect(shown).toEqual([])
    answer({ id: 3, result: { stopReason: 'end_turn' } })
    expect(shown).toEqual([{ jsonrpc: '2.0', id: 3, result: { stopReason: 'end_turn' } }])
  })

  it('repeatable requests are sent again, in order and before waiting ones', async () => {
    await openSession()
    say({ id: 4, method: 'session/list', params: {} })
    say({ id: 'five', method: 'session/set_mode', params: { sessionId: 's', modeId: 'plan' } })
    relay.lost()
    say({ method: 'session/cancel', params: { sessionId: 's' } })
    const next = await attach()
    expect(next.got.slice(2).map(({ id, method }) => [id, method])).toEqual([
      [4, 'session/list'],
      ['five', 'session/set_mode'],
      [undefined, 'session/cancel'],
    ])
  })

  it('closed sessions and sessions that cannot be resumed are not tried again', async () => {
    await openSession()
    say({ id: 5, method: 'session/close', params: { sessionId: 's' } })
    answer({ id: 5, result: {} })
    relay.lost()
    say({ id: 6, method: 'session/load', params: { sessionId: 't', cwd: '/t', mcpServers: [] } })
    const next = await attach()
    expect(next.got.map(({ method }) => method)).toEqual(['initialize', 'session/load'])
    answer({ id: 6, result: {} })

    relay.lost()
    const owner = new FakeOwner()
    const attached = relay.attach(owner)
    answer({ id: owner.last()['id'], result: {} })
    await nextTick()
    answer({ id: owner.last()['id'], error: { code: -32_002, message: 'unknown' } })
    await attached
    expect(notes).toEqual(['The session t could not be resumed.'])
    relay.lost()
    expect((await attach()).got.map(({ method }) => method)).toEqual(['initialize'])
  })

  it('its requests are withdrawn, late answers are dropped, and the next one uses new ids', async () => {
    const owner = await openSession()
    answer({ id: 7, method: 'session/request_permission', params: {} })
    relay.lost()
    expect(shown.slice(1)).toEqual([{ jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 7 } }])

    const next = await attach()
    shown.length = 0
    answer({ id: 7, method: 'session/request_permission', params: {} })
    expect(shown[0]?.['id']).not.toBe(7)
    const count = next.got.length
    say({ id: 7, result: { outcome: { outcome: 'cancelled' } } })
    expect(next.got).toHaveLength(count)
    say({ id: shown[0]?.['id'], result: { outcome: { outcome: 'selected', optionId: 'allow' } } })
    expect(next.last()).toMatchObject({ id: 7, result: { outcome: { optionId: 'allow' } } })
    expect(owner.got).toHaveLength(2)
  })

  it('a request that the next one withdraws has the id that the editor knows', async () => {
    await openSession()
    relay.lost()
    await attach()
    answer({ id: 1, method: 'session/request_permission', params: {} })
    answer({ method: '$/cancel_request', params: { requestId: 1 } })
    const [question, cancel] = shown
    expect(cancel?.['params']).toEqual({ requestId: question?.['id'] })
  })

  it('a request that was withdrawn before is not withdrawn again', async () => {
    await openSession()
    answer({ id: 7, method: 'session/request_permission', params: {} })
    answer({ method: '$/cancel_request', params: { requestId: 7 } })
    const count = shown.length
    relay.lost()
    expect(shown).toHaveLength(count)
  })

  it('while it is being attached, the relay waits for another', async () => {
    await openSession()
    relay.lost()
    const attached = relay.attach(new FakeOwner())
    queueMicrotask(() => relay.lost())
    await expect(attached).rejects.toThrow('went away')
    expect(await relay.needsBack()).toBe(true)
    expect((await attach()).got.map(({ method }) => method)).toEqual(['initialize', 'session/resume'])
  })
})

it('requests that a leaving owner refuses are kept for the next one', async () => {
  await openSession()
  say(prompt(8))
  answer({ id: 8, error: { code: -32_603, message: 'shutting down', data: { reason: 'shutting_down' } } })
  expect(shown).toEqual([])
  relay.lost()
  expect(shown).toEqual([])
  expect((await attach()).last()).toMatchObject({ id: 8, method: 'session/prompt' })
})

it('is full when much waits for an owner, but not while there is one', async () => {
  const large = Buffer.from(
    `{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"a":"${'x'.repeat(33 * 1024 * 1024)}"}}\n`,
  )
  relay.fromEditor(large)
  expect(relay.isFull).toBe(false)
  relay.fromEditor(large)
  expect(relay.isFull).toBe(true)
  await attach()
  expect(relay.isFull).toBe(false)
})

describe('an owner that is opened before a frame needs it', () => {
  it('is attached and gets the first request at once', async () => {
    say(initialize)
    relay.expectWork()
    expect(await relay.needsBack()).toBe(true)
    const owner = await attach()
    say(newSession)
    expect(owner.last()).toMatchObject(newSession)
  })

  it('is asked for again by the first request, if it could not be opened', async () => {
    say(initialize)
    relay.expectWork()
    expect(relay.missedBack()).toBe(false)
    say(newSession)
    expect(await relay.needsBack()).toBe(true)
    expect(relay.missedBack()).toBe(true)
  })

  it('is not asked for again by an editor that has left', async () => {
    say(initialize)
    relay.expectWork()
    relay.finish()
    expect(relay.missedBack()).toBe(false)
    expect(await relay.needsBack()).toBe(false)
  })
})

describe('an editor that leaves', () => {
  it('without a request needs no owner', async () => {
    say(initialize)
    relay.finish()
    expect(await relay.needsBack()).toBe(false)
    expect(relay.isOver).toBe(true)
  })

  it('with frames left to send ends the input of its owner after those', async () => {
    say(initialize)
    say(newSession)
    relay.finish()
    expect(relay.isOver).toBe(false)
    const owner = await attach()
    expect([owner.last()['method'], owner.isEnded]).toEqual(['session/new', true])
    relay.lost()
    expect(await relay.needsBack()).toBe(false)
  })

  it('ends the input of its owner at once', async () => {
    const owner = await openSession()
    relay.finish()
    expect(owner.isEnded).toBe(true)
  })
})

it('remembers that a session was created, after which --resume no longer applies', async () => {
  expect(relay.hasMadeSession).toBe(false)
  await openSession()
  expect(relay.hasMadeSession).toBe(true)
})
