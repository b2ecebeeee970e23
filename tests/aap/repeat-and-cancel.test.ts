// Extensions that old clients ignore: Idempotency-Key and cancel; and clients that go away.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AapClient } from '../support/aap-client.ts'
import { V1, V3 } from '../support/aap-dialect.ts'
import { type AapSession, attachSession, openSession } from '../support/aap-session.ts'
import { type CountingAgent, prepareCountingAgent } from '../support/counting-agent.ts'
import { foldFrames } from '../support/fold-frames.ts'
import { beginExchange } from '../support/http-exchange.ts'
import { pendingCalls, textOf } from '../support/played-turn.ts'
import { NEXT, call, script, shownMessages, shownText } from '../support/script.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { gist } from './gist.ts'
import { expectRefusal } from './refusals.ts'

const UNKNOWN_ID = '0197f000-0000-7000-8000-000000000000'
const TRUSTED = ['echo', 'boom', 'slow'].map((name) => ({ name, trust: true }))

let server: TestServer
let counting: CountingAgent

beforeAll(async () => {
  counting = await prepareCountingAgent()
  server = await startTestServer({ configFile: counting.configFile })
})

afterAll(async () => {
  await server.stop()
  await counting.remove()
})

const client = (): AapClient => server.client(V3)

describe('Idempotency-Key', () => {
  const user = (content: string) => ({ messages: [{ role: 'user', content }] })
  const userTexts = async (session: AapSession): Promise<readonly string[]> =>
    (await session.talk()).flatMap((message) => (message.role === 'user' ? [String(message.content)] : []))

  it('a repeat joins the running turn, and the turn runs once', async () => {
    const session = await openSession(client(), { agent: 'counting', tools: [{ name: 'count', trust: true }] })
    const run = counting.nextRun()
    const body = {
      ...user(script('say before', call('i1', 'count', { run }), NEXT, 'sleep 300', 'say after')),
      stream: 'delta',
    }
    const key = { 'idempotency-key': 'first-try' }
    const first = await client().streamTurn(session.id, body, key)
    await first.until(({ event }) => event === 'tool_result')
    const second = await client().streamTurn(session.id, body, key)
    expect(second.status).toBe(200)
    expect(gist(await second.finished())).toEqual(gist(await first.finished()))
    expect(await userTexts(session)).toHaveLength(1)
    expect(await counting.timesRun(run)).toBe(1)
  })

  it('a repeat after the end gives the same turn again, in any mode, also after a restart', async () => {
    const session = await openSession(client(), { agent: 'counting', tools: [{ name: 'count', trust: true }] })
    const run = counting.nextRun()
    const body = user(script(call('i2', 'count', { run }), NEXT, 'say counted'))
    const key = { 'idempotency-key': 'again' }
    const first = await client().turn(session.id, body, key)
    await session.turn('say something else')
    const again = await client().turn(session.id, body, key)
    expect(again.status).toBe(200)
    expect(again.body).toEqual(first.body)
    await server.restart()
    const afterRestart = await client().turn(session.id, body, key)
    expect(afterRestart.body).toEqual(first.body)
    expect(await userTexts(attachSession(client(), session.id))).toHaveLength(2)
    expect(await counting.timesRun(run)).toBe(1)
  })

  it('a grant that is repeated under its key does not run the tool again', async () => {
    const session = await openSession(client(), { agent: 'counting', tools: [{ name: 'count' }] })
    const run = counting.nextRun()
    await session.turn(script(call('i3', 'count', { run }), NEXT, 'say thanks'))
    const body = { messages: [{ role: 'tool_permission', toolCallId: 'i3', granted: true }] }
    const key = { 'idempotency-key': 'grant' }
    const first = await client().turn(session.id, body, key)
    const again = await client().turn(session.id, body, key)
    expect([first.status, again.status]).toEqual([200, 200])
    expect(again.body).toEqual(first.body)
    expect(await counting.timesRun(run)).toBe(1)
  })

  it('the same key with another body is 409 and runs nothing; another session may use it', async () => {
    const session = await openSession(client())
    const key = { 'idempotency-key': 'taken' }
    expect((await client().turn(session.id, user('say one'), key)).status).toBe(200)
    expectRefusal(await client().turn(session.id, user('say two'), key), 409)
    expect(await userTexts(session)).toEqual(['say one'])
    const other = await openSession(client())
    expect((await client().turn(other.id, user('say two'), key)).status).toBe(200)
  })

  it('a refused request does not use its key up', async () => {
    const session = await openSession(client())
    const key = { 'idempotency-key': 'refused-first' }
    expectRefusal(await client().turn(session.id, { messages: [] }, key), 400)
    expect((await client().turn(session.id, user('say fine'), key)).status).toBe(200)
  })
})

describe('Idempotency-Key on PUT /session', () => {
  const v1 = (key?: string): AapClient => server.client(V1, key)
  const headers = (key: string) => ({ 'idempotency-key': key })
  const body = (content: string, more: object = {}) => ({
    agent: { name: 'counting', tools: [{ name: 'count', trust: true }] },
    messages: [{ role: 'user', content }],
    ...more,
  })
  const put = (given: object, key: string, as = v1()) =>
    as.send<{ sessionId: string; stopReason: string }>('PUT', '/session', { body: given, headers: headers(key) })

  it('aap 128a: creates one session and runs one turn for repeated requests, also after a restart', async () => {
    const run = counting.nextRun()
    const given = body(script(call('i1', 'count', { run }), NEXT, 'say counted'))
    const first = await put(given, 'create')
    expect(first.status).toBe(201)
    expect((await put(given, 'create')).body).toEqual(first.body)
    await server.restart()
    const again = await put(given, 'create')
    expect(again).toMatchObject({ status: 201, body: first.body })
    expect(await counting.timesRun(run)).toBe(1)
  })

  it('makes one session of requests that come at once', async () => {
    const run = counting.nextRun()
    const given = body(script(call('i1', 'count', { run }), NEXT, 'sleep 100', 'say counted'))
    const answers = await Promise.all(Array.from({ length: 5 }, () => put(given, 'at once')))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
    expect(new Set(answers.map((answer) => answer.body.sessionId)).size).toBe(1)
    expect(await counting.timesRun(run)).toBe(1)
  })

  it('is a key of its user, and of one body', async () => {
    const given = body('say hello')
    const first = await put(given, 'mine')
    expectRefusal(await put(body('say goodbye'), 'mine'), 409)
    const other = v1(await server.createKey('ben'))
    const theirs = await put(given, 'mine', other)
    expect(theirs.status).toBe(201)
    expect(theirs.body.sessionId).not.toBe(first.body.sessionId)
  })

  it('of a refused request is free again', async () => {
    expectRefusal(await put(body('say hi', { agent: { name: 'nobody' } }), 'refused'), 400)
    expect((await put(body('say hi'), 'refused')).status).toBe(201)
  })
})

describe('cancel', () => {
  it('stops the model, keeps its partial text, and the next turn sees it', async () => {
    const session = await openSession(client())
    const stream = await session.stream('delta', script('say as far as this', 'sleep 300000', 'think never'))
    await stream.until(() => textOf(foldFrames(stream.frames)).includes('this'))
    const cancelled = await client().cancel(session.id)
    expect(cancelled.status).toBe(202)
    expect(cancelled.body).toEqual({})
    const frames = await stream.finished()
    expect(frames.at(-1)?.data).toMatchObject({ event: 'turn_stop', stopReason: 'error', cancelled: true })
    expect(frames.filter(({ event }) => event === 'turn_stop')).toHaveLength(1)
    expect(textOf(await session.talk())).toBe('as far as this')

    const next = shownMessages((await session.turn('show messages')).messages)
    expect(next.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(next.map(shownText)[1]).toBe('as far as this')
  })

  it('answers a turn without a stream too', async () => {
    const session = await openSession(client())
    const watching = await client().events(session.id, '?follow=1')
    const answer = session.turn(script('say half', 'sleep 300000', 'think never'))
    await watching.until(({ event }) => event === 'text_delta')
    expect((await client().cancel(session.id)).status).toBe(202)
    expect(await answer).toMatchObject({ stopReason: 'error', cancelled: true })
    expect(textOf((await answer).messages)).toBe('half')
    watching.cut()
  })

  it('stops a running tool and leaves no call without a result', async () => {
    const session = await openSession(client(), { tools: TRUSTED })
    const stream = await session.stream(
      'delta',
      script(call('s1', 'slow', { ms: 300_000 }), call('s2', 'echo', { msg: 'x' }), NEXT, 'say never'),
    )
    await stream.until(({ data }) => data['toolCallId'] === 's2' && data['event'] === 'tool_result')
    await client().cancel(session.id)
    const frames = await stream.finished()
    expect(frames.at(-1)?.data).toMatchObject({ event: 'turn_stop', stopReason: 'error', cancelled: true })
    const results = frames.filter(({ event }) => event === 'tool_result').map(({ data }) => data['toolCallId'])
    expect(results.toSorted()).toEqual(['s1', 's2'])
    expect(pendingCalls(await session.history())).toEqual([])
    expect(textOf((await session.turn('say alive')).messages)).toBe('alive')
  })

  it.each(['delta', 'message', 'none'] as const)(
    'shows a result for every call it showed, also for one that the client was to run, in %s mode',
    async (mode) => {
      const session = await openSession(client(), {
        tools: TRUSTED,
        clientTools: [V3.tool('weather', 'Tells the weather', { type: 'object' })],
      })
      const watching = await client().events(session.id)
      const turn = session.play(mode, script(call('q1', 'weather'), call('q2', 'slow', { ms: 300_000 })))
      const calls = await watching.untilCount('tool_call', 2)
      await client().cancel(session.id)
      const played = await turn
      expect(played.stopReason).toBe('error')
      expect(played.results.map(({ toolCallId }) => toolCallId).toSorted()).toEqual(['q1', 'q2'])
      const live = await watching.finished()
      const again = await (await client().events(session.id, `?after=${calls.id}`)).finished()
      expect(gist(again)).toEqual(gist(live.slice(live.indexOf(calls) + 1)))
    },
  )

  it('ends a waiting turn: its calls are cancelled and can no longer be answered', async () => {
    const session = await openSession(client(), { agent: 'counting', tools: [{ name: 'count' }] })
    const run = counting.nextRun()
    await session.turn(call('w1', 'count', { run }))
    expect((await client().cancel(session.id)).status).toBe(202)
    expect(pendingCalls(await session.history())).toEqual([])
    const grant = { messages: [{ role: 'tool_permission', toolCallId: 'w1', granted: true }] }
    expectRefusal(await client().turn(session.id, grant), 409)
    expect(await counting.timesRun(run)).toBe(0)
    const next = shownMessages((await session.turn('show messages')).messages)
    expect(next.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
  })

  it('of a session at rest is a quiet success, of an unknown one 404', async () => {
    const session = await openSession(client())
    await session.turn('say hi')
    const before = await session.history()
    expect((await client().cancel(session.id)).status).toBe(202)
    expect(await session.history()).toEqual(before)
    expectRefusal(await client().cancel(UNKNOWN_ID), 404)
  })
})

describe('a client that goes away', () => {
  it('does not cancel its turn', async () => {
    const session = await openSession(client(), { tools: TRUSTED })
    const stream = await session.stream(
      'delta',
      script('say before', 'sleep 200', call('g1', 'slow', { ms: 50 }), NEXT, 'say all done'),
    )
    const seen = await stream.until(({ event }) => event === 'text_delta')
    stream.cut()
    const rest = await (await client().events(session.id, `?after=${seen.id}`)).finished()
    expect(rest.at(-1)?.data).toEqual({ event: 'turn_stop', stopReason: 'end_turn' })
    expect(textOf(await session.talk())).toBe('beforeall done')
  })

  it('does not cancel a turn without a stream either', async () => {
    const session = await openSession(client())
    const watching = await client().events(session.id)
    const leaving = new AbortController()
    const body = { messages: [{ role: 'user', content: script('say begun', 'sleep 200', 'say done') }] }
    const answer = beginExchange(client().exchange('POST', V3.turns(session.id), { body }), leaving.signal)
    await watching.until(({ event }) => event === 'text_delta')
    leaving.abort()
    await expect(answer).rejects.toThrow(/abort/)
    expect((await watching.finished()).at(-1)?.data).toEqual({ event: 'turn_stop', stopReason: 'end_turn' })
    expect(textOf(await session.talk())).toBe('begun\ndone')
  })

  it('may miss the whole answer and read it later', async () => {
    const session = await openSession(server.client(V1))
    const stream = await session.stream('message', script('sleep 100', 'say nobody listened'))
    stream.cut()
    const watching = await client().events(session.id, '?follow=1')
    await watching.untilCount('turn_stop', 2)
    watching.cut()
    expect(textOf(await session.talk())).toBe('nobody listened')
  })
})
