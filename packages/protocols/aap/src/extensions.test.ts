import { calls, createFakeParts, createFakeTool, finishes, says } from '@polylogue/testkit'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { DoorOptions } from './test-support/open-door.ts'
import { gist, parseFrames } from './test-support/parse-frames.ts'
import { user, usingDoor } from './test-support/using-door.ts'

const rig = usingDoor(createFakeParts)
const { open, play } = rig

const waits = () => new Promise<void>(() => undefined)
const trusted = { agent: { name: 'tester', tools: [{ name: 'echo', trust: true }] } }
const echo = (): DoorOptions => ({ tools: [createFakeTool('echo')] })

/** Two steps with text, two parallel calls, more text. */
function twoSteps(): void {
  rig.door.model.push(
    [says('one '), says('two'), calls('a', 'echo'), calls('b', 'echo'), finishes('tool-calls')],
    [says('three'), finishes()],
  )
}

describe('the events of a session', () => {
  it('continue exactly after the last event seen', async () => {
    const session = await open(echo(), trusted)
    twoSteps()
    const whole = await (await play(session, 'go')).frames()
    expect(whole.map(({ event }) => event)).toEqual([
      'turn_start',
      'text_delta',
      'text_delta',
      'tool_call',
      'tool_call',
      'tool_result',
      'tool_result',
      'text_delta',
      'turn_stop',
    ])
    for (const [index, { id }] of whole.slice(0, -1).entries()) {
      const rest = await (await rig.door.send('GET', `${session}/events?after=${id}`)).frames()
      expect(gist([...whole.slice(0, index + 1), ...rest])).toEqual(gist(whole))
      const byHeader = await rig.door.send('GET', `${session}/events?after=0`, { headers: { 'last-event-id': id } })
      expect(await byHeader.text).toBe(await (await rig.door.send('GET', `${session}/events?after=${id}`)).text)
    }
  })

  it('give a reader that comes in the middle of a step its text so far, from where it was', async () => {
    const session = await open()
    const gate = Promise.withResolvers<void>()
    rig.door.model.push([says('one two'), () => gate.promise, says(' three'), finishes()])
    const first = await play(session, 'go')
    await first.until('one two')
    const { id } = parseFrames(first.soFar).at(-1) ?? { id: '' }
    first.leave()
    const [stepSeq] = id.split('.')
    const second = await rig.door.send('GET', `${session}/events?after=${stepSeq}.0.4`)
    await second.until('"two"')
    gate.resolve()
    expect(gist(await second.frames())).toEqual([
      { event: 'text_delta', delta: 'two three' },
      { event: 'turn_stop', stopReason: 'end_turn' },
    ])
  })

  it('stay with follow=1 and show every turn, from any client', async () => {
    const session = await open()
    const watching = await rig.door.send('GET', `${session}/events?follow=1&stream=message`)
    await (
      await play(session, 'one')
    ).text
    await (
      await rig.door.send('POST', session.replace('/v3/sessions', '/v1/session'), { body: { messages: user('two') } })
    ).text
    const isOver = async (): Promise<void> => {
      while (parseFrames(watching.soFar).filter(({ event }) => event === 'turn_stop').length < 2) await setImmediate()
    }
    await isOver()
    const turn = [
      { event: 'turn_start' },
      { event: 'text', text: 'done' },
      { event: 'turn_stop', stopReason: 'end_turn' },
    ]
    expect(gist(parseFrames(watching.soFar))).toEqual([...turn, ...turn])
    watching.leave()
  })

  it('wait for the next turn when the session is at rest', async () => {
    const session = await open()
    const whole = await (await play(session, 'one')).frames()
    const waiting = await rig.door.send('GET', `${session}/events?after=${whole.at(-1)?.id}`)
    expect(waiting.status).toBe(200)
    await (
      await play(session, 'two')
    ).text
    expect((await waiting.frames()).map(({ event }) => event)).toEqual(['turn_start', 'text_delta', 'turn_stop'])
  })

  it('begin with one resync when the cursor is beyond the end, and then show the open step from its start', async () => {
    const session = await open()
    const gate = Promise.withResolvers<void>()
    rig.door.model.push([says('so far'), () => gate.promise, finishes()])
    const first = await play(session, 'go')
    await first.until('so far')
    for (const after of ['999', '999.0.7']) {
      const lost = await rig.door.send('GET', `${session}/events?after=${after}`)
      await lost.until('so far')
      expect(gist(parseFrames(lost.soFar))).toEqual([{ event: 'resync' }, { event: 'text_delta', delta: 'so far' }])
      lost.leave()
    }
    gate.resolve()
    await first.text
  })

  it('begin with one resync when more was seen than survived, and then show that step from its start', async () => {
    const session = await open()
    rig.door.model.push([says('short'), finishes()])
    const whole = await (await play(session, 'go')).frames()
    const [stepSeq] = (whole[1]?.id ?? '').split('.')
    for (const place of ['0.6', '1.0']) {
      const frames = await (await rig.door.send('GET', `${session}/events?after=${stepSeq}.${place}`)).frames()
      expect(gist(frames)).toEqual([
        { event: 'resync' },
        { event: 'text_delta', delta: 'short' },
        { event: 'turn_stop', stopReason: 'end_turn' },
      ])
      const again = await rig.door.send('GET', `${session}/events?after=${frames[0]?.id}`)
      expect(gist((await again.frames()).slice(-2))).toEqual(gist(frames.slice(1)))
    }
  })

  it('arrive whole to an active reader, after a history of any length', async () => {
    const long = { content: 'long '.repeat(20_000) }
    const session = await open(
      { tools: [createFakeTool('echo', { run: () => long })], limits: { outBufferBytes: 64 * 1024 } },
      trusted,
    )
    for (let turn = 0; turn < 60; turn++) {
      rig.door.model.push([calls(`c${turn}`, 'echo'), finishes('tool-calls')])
      await (
        await rig.door.send('POST', `${session}/turns`, { body: { messages: user('go') } })
      ).text
    }
    const past = await rig.door.send('GET', `${session}/events?follow=1`)
    const stops = (): number => past.soFar.split('event: turn_stop').length - 1
    while (stops() < 60) await setImmediate()
    const frames = parseFrames(past.soFar)
    expect(frames.filter(({ data }) => data['content'] === long.content)).toHaveLength(60)
    expect(new Set(frames.map(({ id }) => id)).size).toBe(60 * 5)
    past.leave()
  })

  it.each(['after=x', 'after=', 'after=-1', 'after=1.2', 'after=99999999999999999999', 'follow=maybe', 'stream=none'])(
    'are refused for ?%s',
    async (query) => {
      const session = await open()
      expect((await rig.door.send('GET', `${session}/events?${query}`)).status).toBe(400)
    },
  )
})

describe('cancel', () => {
  it('is 202 and ends the turn everywhere, its text kept', async () => {
    const session = await open()
    rig.door.model.push([says('half'), waits])
    const reply = await play(session, 'go')
    await reply.until('half')
    const cancelled = await rig.door.send('POST', `${session}/cancel`)
    expect([cancelled.status, await cancelled.json()]).toEqual([202, {}])
    expect((await reply.frames()).at(-1)?.data).toEqual({
      event: 'turn_stop',
      stopReason: 'error',
      cancelled: true,
      error: { message: 'The turn was cancelled.' },
    })
    const idle = await rig.door.send('POST', session.replace('/v3/sessions', '/v1/session') + '/cancel', {
      text: 'ignored',
    })
    expect(idle.status).toBe(202)
  })

  it('shows in an answer without a stream', async () => {
    const session = await open()
    const begun = Promise.withResolvers<void>()
    rig.door.model.push([says('half'), () => (begun.resolve(), waits())])
    const answer = rig.door.send('POST', `${session}/turns`, { body: { messages: user('go') } })
    await begun.promise
    await rig.door.send('POST', `${session}/cancel`)
    expect(await (await answer).json()).toEqual({
      stopReason: 'error',
      cancelled: true,
      error: { message: 'The turn was cancelled.' },
      messages: [{ role: 'assistant', content: [{ type: 'text', text: 'half' }] }],
    })
  })
})

describe('an idempotency key', () => {
  it('makes a repeat the same turn, running or over, in every mode', async () => {
    const session = await open(echo(), trusted)
    const gate = Promise.withResolvers<void>()
    rig.door.model.push([says('one'), () => gate.promise, says(' two'), finishes()])
    const key = { 'idempotency-key': 'k 1' }
    const first = await play(session, 'go', key)
    await first.until('one')
    const second = await play(session, 'go', key)
    await second.until('one')
    gate.resolve()
    expect(gist(await second.frames())).toEqual(gist(await first.frames()))
    const third = await play(session, 'go', key)
    expect(gist(await third.frames())).toEqual(gist(await first.frames()))
    expect(rig.door.model.requests).toHaveLength(1)
  })

  it('counts the order of members in a body for nothing, and its content for everything', async () => {
    const session = await open()
    const headers = { 'idempotency-key': 'k' }
    const send = (text: string) => rig.door.send('POST', `${session}/turns`, { text, headers })
    const first = await (await send('{"stream":"none","messages":[{"role":"user","content":"a"}]}')).text
    expect(await (await send('{"messages":[{"content":"a","role":"user"}],"stream":"none"}')).text).toBe(first)
    expect((await send('{"stream":"none","messages":[{"role":"user","content":"b"}]}')).status).toBe(409)
    expect(rig.door.model.requests).toHaveLength(1)
  })

  it.each(['', 'x'.repeat(256), 'tab\tbed'])('is never %j', async (key) => {
    const session = await open()
    expect((await play(session, 'go', { 'idempotency-key': key })).status).toBe(400)
    expect(rig.door.model.requests).toEqual([])
  })
})

describe('the list of agents', () => {
  it('has a tag, and is not sent again to a client that has it', async () => {
    await open(echo())
    const first = await rig.door.send('GET', '/v3/meta')
    const etag = String(first.headers['etag'])
    expect(first.headers['content-type']).toBe('application/json')
    expect(etag).toMatch(/^W\/"[0-9a-z-]+"$/i)
    const again = await rig.door.send('GET', '/v3/meta', { headers: { 'if-none-match': etag } })
    expect([again.status, await again.text]).toEqual([304, ''])
    const other = await rig.door.send('GET', '/v3/meta', { headers: { 'if-none-match': '"another"' } })
    expect([other.status, await other.text]).toEqual([200, await first.text])
  })

  it('is encoded again when the tools of an agent have changed', async () => {
    const tools = [createFakeTool('echo')]
    await open({ tools })
    const before = await rig.door.send('GET', '/v3/meta')
    tools.push(createFakeTool('late'))
    const after = await rig.door.send('GET', '/v3/meta', {
      headers: { 'if-none-match': String(before.headers['etag']) },
    })
    expect(after.status).toBe(200)
    expect((await after.json()).agents[0].tools.map(({ name }: { name: string }) => name)).toEqual(['echo', 'late'])
  })
})
