import type { SessionId } from '@polylogue/engine'
import {
  calls,
  createFakeParts,
  createFakeTool,
  createQuestionTool,
  finishes,
  hangs,
  loadAcpFrameChecker,
  says,
  untilQuiet,
} from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { usingWorlds } from '../test-support/using-worlds.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))

const notFound = { standard: -32002, seed: -32602 } as const
const profiles = ['standard', 'seed'] as const
const CANCELLED = { result: { stopReason: 'cancelled' } }

async function openSession(profile: (typeof profiles)[number] = 'standard', capabilities = {}) {
  const write = createFakeTool('write', { effect: 'unsafe' })
  const world = open({ tools: [write, createQuestionTool(), createFakeTool('slow', { run: () => hangs() })] })
  const connected = await world.connect({ profile, capabilities })
  return { ...world, ...connected, write, sessionId: (await connected.newSession()) as SessionId }
}

describe.each(profiles)('session/cancel, in profile %s,', (profile) => {
  it('acp 103: as a notification ends the turn, and is not answered', async () => {
    const { client, sessionId, say, model } = await openSession(profile)
    model.push([says('half'), () => hangs()])
    const answered = say(sessionId, 'go')
    await client.untilUpdate(({ content }) => content?.text === 'half')
    client.notify('session/cancel', { sessionId, reason: 'enough' })
    expect(await answered).toMatchObject(CANCELLED)
    expect(client.frames.filter(({ id, method }) => id !== undefined && method === undefined)).toHaveLength(3)
    expect(client.text()).toBe('half')
  })

  it('acp 104: as a request is answered, and does the same', async () => {
    const { client, sessionId, say, model } = await openSession(profile)
    model.push([says('half'), () => hangs()])
    const answered = say(sessionId, 'go')
    await client.untilUpdate(({ content }) => content?.text === 'half')
    expect(await client.result('session/cancel', { sessionId })).toEqual({})
    expect(await answered).toMatchObject(CANCELLED)
  })

  it('acp 104: right behind the prompt still finds it', async () => {
    const { client, sessionId, say, model } = await openSession(profile)
    model.push([says('half'), () => hangs()])
    const answered = say(sessionId, 'go')
    client.notify('session/cancel', { sessionId })
    expect(await answered).toMatchObject(CANCELLED)
  })

  it('acp 105: does not wait for an answer to a permission request', async () => {
    const { client, sessionId, say, model } = await openSession(profile)
    model.push([calls('c1', 'write'), calls('c2', 'write', { b: 1 }), finishes('tool-calls')])
    const answered = say(sessionId, 'go')
    const { id } = await client.untilRequest('session/request_permission')
    client.notify('session/cancel', { sessionId })
    expect(await answered).toMatchObject(CANCELLED)
    await client.until(({ method, params }) => method === '$/cancel_request' && params.requestId === id)
    expect(client.requests).toHaveLength(1)
    const ends = client.updates().flatMap((update) => {
      return update.sessionUpdate === 'tool_call_update' ? [[update.toolCallId, update.status]] : []
    })
    expect(ends).toEqual([
      ['c1', 'failed'],
      ['c2', 'failed'],
    ])
  })

  it.each([
    ['_agentao.cn/ask_user', { _meta: { '_agentao.cn/extensions': [{ method: '_agentao.cn/ask_user' }] } }],
    ['elicitation/create', { elicitation: { form: {} } }],
  ])('acp 106: does not wait for an answer to %s either', async (method, capabilities) => {
    const { client, sessionId, say, model } = await openSession(profile, capabilities)
    model.push([calls('c1', 'Ask', { question: 'Who?' }), finishes('tool-calls')])
    const answered = say(sessionId, 'go')
    const { id } = await client.untilRequest(method)
    client.notify('session/cancel', { sessionId })
    expect(await answered).toMatchObject(CANCELLED)
    await client.until((frame) => frame.method === '$/cancel_request' && frame.params.requestId === id)
  })

  it('acp 107: makes a late answer void', async () => {
    const { client, sessionId, say, model, write } = await openSession(profile)
    model.push([calls('c1', 'write'), finishes('tool-calls')])
    const answered = say(sessionId, 'go')
    const { id } = await client.untilRequest('session/request_permission')
    await client.result('session/cancel', { sessionId })
    client.send({ jsonrpc: '2.0', id, result: { outcome: { outcome: 'selected', optionId: 'allow' } } })
    expect(await answered).toMatchObject(CANCELLED)
    expect(await say(sessionId, 'again')).toMatchObject({ result: { stopReason: 'end_turn' } })
    expect(write.invocations).toEqual([])
  })

  it('acp 108: without a turn, twice, or too late is harmless', async () => {
    const { client, sessionId, say, model, newSession } = await openSession(profile)
    expect(await client.result('session/cancel', { sessionId })).toEqual({})
    model.push([says('half'), () => hangs()])
    const answered = say(sessionId, 'go')
    await client.untilUpdate(({ content }) => content?.text === 'half')
    for (let time = 0; time < 3; time += 1) client.notify('session/cancel', { sessionId })
    expect(await client.result('session/cancel', { sessionId })).toEqual({})
    expect(await answered).toMatchObject(CANCELLED)
    expect(await client.result('session/cancel', { sessionId })).toEqual({})
    const closed = await newSession()
    await client.result('session/close', { sessionId: closed })
    expect(await client.result('session/cancel', { sessionId: closed })).toEqual({})
  })

  it('acp 109: of an unknown session is an error as a request and ignored as a notification', async () => {
    const { client } = await openSession(profile)
    const before = client.frames.length
    client.notify('session/cancel', { sessionId: 'unknown' })
    expect(await client.error('session/cancel', { sessionId: 'unknown' })).toMatchObject({
      code: notFound[profile],
      data: { sessionId: 'unknown', reason: 'session_not_found' },
    })
    expect(await client.error('session/cancel', { sessionId: 5 })).toMatchObject({ code: -32602 })
    const told = client.frames.slice(before).filter(({ method }) => method !== 'session/update')
    expect(told).toHaveLength(2)
  })

  it('acp 111: leaves the session usable', async () => {
    const { client, sessionId, say, model } = await openSession(profile)
    model.push([calls('c1', 'slow'), finishes('tool-calls')], [says('fine'), finishes()])
    const answered = say(sessionId, 'go')
    await client.untilUpdate(({ status }) => status === 'in_progress')
    client.notify('session/cancel', { sessionId })
    expect(await answered).toMatchObject(CANCELLED)
    expect(await say(sessionId, 'and now?')).toMatchObject({ result: { stopReason: 'end_turn' } })
    const messages = model.requests.at(-1)?.messages ?? []
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
  })

  it('acp 112: $/cancel_request of a prompt cancels its turn', async () => {
    const { client, sessionId, model } = await openSession(profile)
    model.push([says('half'), () => hangs()])
    const params = { sessionId, prompt: [{ type: 'text', text: 'go' }] }
    const answered = client.call('session/prompt', params, 'p1')
    await client.untilUpdate(({ content }) => content?.text === 'half')
    client.notify('$/cancel_request', { requestId: 'p1' })
    client.notify('$/cancel_request', { requestId: 'unknown' })
    client.notify('$/cancel_request', 'nonsense')
    expect(await answered).toMatchObject(CANCELLED)
    await client.result('session/list', {})
    expect(client.frames.filter(({ id }) => id === 'p1')).toHaveLength(1)
  })
})

describe('cancelling', () => {
  it('keeps queued prompts', async () => {
    const { client, sessionId, say, model } = await openSession()
    model.push([says('half'), () => hangs()], [says('second'), finishes()])
    const first = say(sessionId, 'one')
    await client.untilUpdate(({ content }) => content?.text === 'half')
    const second = say(sessionId, 'two')
    await client.result('session/cancel', { sessionId })
    expect(await first).toMatchObject(CANCELLED)
    expect(await second).toMatchObject({ result: { stopReason: 'end_turn' } })
  })

  it('a queued prompt ends it as soon as its turn begins, without affecting the previous prompt', async () => {
    const { client, sessionId, say, model } = await openSession()
    const more = Promise.withResolvers<void>()
    model.push([says('first'), () => more.promise, finishes()], [() => hangs()])
    const first = say(sessionId, 'one')
    await client.untilUpdate(({ content }) => content?.text === 'first')
    const second = client.call('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'two' }] }, 'p2')
    client.notify('$/cancel_request', { requestId: 'p2' })
    await client.result('session/list', {})
    more.resolve()
    expect(await first).toMatchObject({ result: { stopReason: 'end_turn' } })
    expect(await second).toMatchObject(CANCELLED)
  })

  it('answers the prompt in time even if the turn does not end', async () => {
    const world = open({ tools: [{ ...createFakeTool('stuck', { run: () => hangs() }), stopGraceMs: 60_000 }] })
    world.model.push([calls('c1', 'stuck'), finishes('tool-calls')])
    const { client, newSession, say } = await world.connect()
    const sessionId = await newSession()
    const answered = say(sessionId, 'go')
    await client.untilUpdate(({ status }) => status === 'in_progress')
    await client.result('session/cancel', { sessionId })
    world.clock.advance(5_000)
    expect(await answered).toMatchObject(CANCELLED)
    world.clock.advance(60_000)
  })
})

describe('the end of the input', () => {
  it('cancels the turns that started here, and answers their prompts', async () => {
    const { client, sessionId, say, model, engine, user, connection } = await openSession()
    model.push([says('half'), () => hangs()])
    const answered = [say(sessionId, 'one'), say(sessionId, 'two')]
    await client.untilUpdate(({ content }) => content?.text === 'half')
    expect(connection.hasOpenTurns()).toBe(true)
    await client.leave()
    for (const answer of await Promise.all(answered)) expect(answer).toMatchObject(CANCELLED)
    await connection.closed
    expect(connection.hasOpenTurns()).toBe(false)
    expect(await engine.readSession(user, sessionId)).toMatchObject({
      status: 'idle',
      lastOutcome: 'cancelled',
      queued: 0,
    })
  })

  it('answers the prompt even if its turn does not end in time', async () => {
    const world = open({ tools: [{ ...createFakeTool('stuck', { run: () => hangs() }), stopGraceMs: 60_000 }] })
    world.model.push([calls('c1', 'stuck'), finishes('tool-calls')])
    const { client, newSession, say, connection } = await world.connect()
    const sessionId = await newSession()
    const answered = say(sessionId, 'go')
    await client.untilUpdate(({ status }) => status === 'in_progress')
    const before = world.clock.pendingTimers()
    const left = client.leave()
    // Until the connection has noticed: its own time and that of the turn.
    while (world.clock.pendingTimers() < before + 2) await untilQuiet()
    world.clock.advance(5_000)
    expect(await answered).toMatchObject(CANCELLED)
    await Promise.all([left, connection.closed])
    world.clock.advance(60_000)
  })

  it('cancels nothing for a network client', async () => {
    const world = open()
    const more = Promise.withResolvers<void>()
    world.model.push([says('half'), () => more.promise, finishes()])
    const { client, newSession, say } = await world.connect({ recovery: 'continue' })
    const sessionId = (await newSession()) as SessionId
    void say(sessionId, 'go').catch(() => undefined)
    await client.untilUpdate(({ content }) => content?.text === 'half')
    const ended = world.turnEnded(sessionId)
    await client.leave()
    expect(await world.engine.readSession(world.user, sessionId)).toMatchObject({ status: 'running' })
    more.resolve()
    await ended
    expect(await world.engine.readSession(world.user, sessionId)).toMatchObject({ lastOutcome: 'finished' })
  })

  it('is what close() does, once', async () => {
    const { client, sessionId, say, model, connection } = await openSession()
    model.push([says('half'), () => hangs()])
    const answered = say(sessionId, 'go')
    await client.untilUpdate(({ content }) => content?.text === 'half')
    await Promise.all([connection.close('test'), connection.close()])
    expect(await answered).toMatchObject(CANCELLED)
  })

  it('interrupts the prompt of a connected network client, and the turn continues', async () => {
    const world = open()
    const more = Promise.withResolvers<void>()
    world.model.push([says('half'), () => more.promise, finishes()])
    const { client, newSession, say, connection } = await world.connect({ recovery: 'continue' })
    const sessionId = await newSession()
    const answered = say(sessionId, 'go')
    await client.untilUpdate(({ content }) => content?.text === 'half')
    const ended = world.turnEnded(sessionId)
    await connection.close('the server is stopping')
    expect(await answered).toMatchObject({ error: { code: -32603, data: { reason: 'interrupted' } } })
    more.resolve()
    await ended
  })

  it('sends no requests to a client that has left', async () => {
    const { client, sessionId, say, model } = await openSession()
    model.push([calls('c1', 'write', { a: 1 }), calls('c2', 'write', { a: 2 }), finishes('tool-calls')])
    const answered = say(sessionId, 'go')
    await client.untilRequest('session/request_permission')
    await client.leave()
    expect(await answered).toMatchObject(CANCELLED)
    expect(client.requests).toHaveLength(1)
  })
})
