import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AapClient } from '../support/aap-client.ts'
import { DIALECTS } from '../support/aap-dialect.ts'
import { type AapSession, openSession } from '../support/aap-session.ts'
import { blocksOf, inBlocks, playedFromFrames, textIn, textOf } from '../support/played-turn.ts'
import { NEXT, call, script } from '../support/script.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { readUntilClosed } from './raw-turn.ts'

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } }
const STREAMED = ['delta', 'message'] as const

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

describe.each(DIALECTS)('streams at $base', (dialect) => {
  const { mark } = dialect
  const client = (): AapClient => server.client(dialect)
  const clientTools = [dialect.tool('weather', 'Tells the weather', SCHEMA)]
  const trusting = (): Promise<AapSession> =>
    openSession(client(), { tools: [{ name: 'echo', trust: true }], clientTools })

  it(`aap 68${mark}: a streamed turn is 200 and text/event-stream, never cached`, async () => {
    const session = await openSession(client())
    for (const mode of STREAMED) {
      const stream = await session.stream(mode, 'say hi')
      expect(stream.status).toBe(200)
      expect(stream.headers['content-type']).toMatch(/^text\/event-stream/)
      expect(stream.headers['cache-control']).toContain('no-cache')
      expect(stream.headers['x-accel-buffering']).toBe('no')
      await stream.finished()
    }
  })

  it(`aap 69${mark}: turn_start is first, bare, and sent before the model answers`, async () => {
    const session = await openSession(client())
    for (const mode of STREAMED) {
      const began = performance.now()
      const stream = await session.stream(mode, script('sleep 1200', 'say late'))
      await stream.until(({ event }) => event === 'turn_start')
      const startedAfter = performance.now() - began
      const frames = await stream.finished()
      expect(startedAfter).toBeLessThan(1000)
      expect(performance.now() - began).toBeGreaterThanOrEqual(1200)
      expect(frames[0]?.data).toEqual({ event: 'turn_start' })
    }
  })

  it(`aap 70${mark}: there is exactly one turn_stop, the last event, in success and in failure`, async () => {
    const session = await trusting()
    const scripts = [
      ['say fine', 'end_turn'],
      [script(call('one', 'echo', { msg: 'x' }), NEXT, 'say fine'), 'end_turn'],
      [call('two', 'weather', { city: 'x' }), 'tool_use'],
      ['fail', 'error'],
      [script('say half', 'fail'), 'error'],
      [script('say half', 'nostop'), 'error'],
      [script('say cut', 'stop max_tokens'), 'max_tokens'],
      ['stop refusal', 'refusal'],
    ] as const
    for (const mode of STREAMED) {
      for (const [content, stopReason] of scripts) {
        const frames = await (await session.stream(mode, content)).finished()
        const stops = frames.filter(({ event }) => event === 'turn_stop')
        expect(stops.map(({ data }) => data['stopReason'])).toEqual([stopReason])
        expect(frames.at(-1)?.event).toBe('turn_stop')
        expect(frames.filter(({ event }) => event === 'turn_start')).toHaveLength(1)
      }
    }
  })

  it(`aap 71${mark}: the connection closes after turn_stop and no event is lost`, async () => {
    const session = await trusting()
    for (const mode of STREAMED) {
      for (let round = 0; round < 10; round++) {
        const content = script('say a b c', call(`${mode}${round}`, 'echo', { msg: 'd' }), NEXT, 'say e f g')
        const body = JSON.stringify({ stream: mode, messages: [{ role: 'user', content }] })
        const raw = await readUntilClosed(client().exchange('POST', dialect.turns(session.id), { body }))
        const played = playedFromFrames(raw.frames)
        expect(played.text).toBe('a b ce f g')
        expect(played.results).toEqual([{ toolCallId: `${mode}${round}`, content: 'd' }])
        expect(played.stopReason).toBe('end_turn')
      }
    }
  })

  it(`aap 72${mark}: every event is an event line, one data line with that event, and a blank line`, async () => {
    const session = await trusting()
    for (const mode of STREAMED) {
      const content = script('think hm', 'say hi', call(`f${mode}`, 'echo', { msg: 'x' }), NEXT, 'say bye')
      const body = JSON.stringify({ stream: mode, messages: [{ role: 'user', content }] })
      const raw = await readUntilClosed(client().exchange('POST', dialect.turns(session.id), { body }))
      expect(raw.body.endsWith('\n\n')).toBe(true)
      expect(raw.body).not.toContain('[DONE]')
      const blocks = raw.body.slice(0, -2).split('\n\n')
      const events = blocks.filter((block) => !block.startsWith(':'))
      expect(events.length).toBeGreaterThanOrEqual(7)
      for (const block of events) {
        const lines = block.split('\n').filter((line) => !line.startsWith(':'))
        const [, name] = /^event: ([a-z_]+)$/.exec(lines.find((line) => line.startsWith('event:')) ?? '') ?? []
        const payload = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice('data: '.length))
        expect(payload).toHaveLength(1)
        expect(JSON.parse(payload[0] ?? '')).toMatchObject({ event: name })
        expect(lines.filter((line) => !/^(event|data|id): /.test(line))).toEqual([])
      }
    }
  })

  it(`aap 73${mark}: delta mode never sends text or thinking, message mode never sends deltas`, async () => {
    const session = await trusting()
    const content = (id: string): string =>
      script('think a thought', 'say some words', call(id, 'echo', { msg: 'x' }), NEXT, 'think again', 'say more words')
    const names = async (mode: 'delta' | 'message'): Promise<readonly string[]> => [
      ...new Set((await (await session.stream(mode, content(`n-${mode}`))).finished()).map(({ event }) => event)),
    ]
    const sameInBoth = ['tool_call', 'tool_result', 'turn_start', 'turn_stop']
    expect((await names('delta')).toSorted()).toEqual(['text_delta', 'thinking_delta', ...sameInBoth])
    expect((await names('message')).toSorted()).toEqual(['text', 'thinking', ...sameInBoth])
  })

  it(`aap 74${mark}: joined deltas equal the stored text, and reasoning arrives in each mode and is stored`, async () => {
    const session = await openSession(client())
    const content = script('think one two  three', 'think four', 'say alpha  beta', 'say gamma ', 'delta')
    const streams = {
      delta: await session.play('delta', content),
      message: await session.play('message', content),
      none: await session.play('none', content),
    }
    const stored = (await session.talk()).filter(({ role }) => role === 'assistant')
    expect(stored).toHaveLength(3)
    for (const [index, played] of Object.values(streams).entries()) {
      expect(played.thinking).toBe('one two  three\nfour')
      expect(played.text).toBe('alpha  beta\ngamma \ndelta')
      const blocks = blocksOf(stored[index]?.content ?? '')
      expect(textIn(blocks)).toBe(played.text)
      expect(blocks).toContainEqual({ type: 'thinking', thinking: played.thinking })
    }
    expect(streams.delta.order).toEqual(['turn_start', 'thinking_delta', 'text_delta', 'turn_stop'])
    expect(streams.message.order).toEqual(['turn_start', 'thinking', 'text', 'turn_stop'])
    expect(streams.none.order).toEqual(['thinking', 'text'])
  })

  it(`aap 75${mark}: message mode sends one text per assistant message, in order`, async () => {
    const session = await trusting()
    const content = script(
      ...['say first line', 'say second line', call('m1', 'echo', { msg: 'x' })],
      ...[NEXT, 'say third', call('m2', 'echo', { msg: 'y' })],
      ...[NEXT, 'say fourth'],
    )
    const frames = await (await session.stream('message', content)).finished()
    const texts = frames.filter(({ event }) => event === 'text').map(({ data }) => data['text'])
    expect(texts).toEqual(['first line\nsecond line', 'third', 'fourth'])
    const stored = (await session.talk()).filter(({ role }) => role === 'assistant')
    expect(stored.map((message) => textOf([message]))).toEqual(texts)
  })

  it(`aap 76${mark}: all calls of a step precede its first result`, async () => {
    const session = await trusting()
    for (const mode of STREAMED) {
      const ids = [1, 2, 3].map((number) => `${mode}-${number}`)
      const content = script(
        ...ids.map((id) => call(id, 'echo', { msg: id })),
        ...[NEXT, call(`${mode}-4`, 'echo', { msg: 'again' })],
        ...[NEXT, 'say done'],
      )
      const played = await session.play(mode, content)
      const tools = played.order.filter((name) => name.startsWith('tool_'))
      const [callEvent, result] = ['tool_call', 'tool_result']
      expect(tools).toEqual([callEvent, callEvent, callEvent, result, result, result, callEvent, result])
      expect(
        played.results
          .map(({ toolCallId }) => toolCallId)
          .slice(0, 3)
          .toSorted(),
      ).toEqual(ids)
    }
  })

  it(`aap 77${mark}: tool_call.input is an object, whatever the model wrote`, async () => {
    const session = await trusting()
    for (const mode of ['delta', 'message', 'none'] as const) {
      const written = ['{"msg":"fine"}', '"text"', '7', 'null', '[1,2]', '{broken', '']
      const calls = written.map((input, index) => `call ${mode}${index} echo ${input}`)
      const played = await session.play(mode, script(...calls, NEXT, 'say done'))
      expect(played.stopReason).toBe('end_turn')
      expect(played.calls).toHaveLength(written.length)
      for (const { input } of played.calls) {
        expect(typeof input).toBe('object')
        expect(input).not.toBeNull()
        expect(Array.isArray(input)).toBe(false)
      }
      expect(played.calls[0]?.input).toEqual({ msg: 'fine' })
    }
  })

  it(`aap 78${mark}: no tool_result is sent for client-side tools`, async () => {
    const session = await trusting()
    for (const mode of ['delta', 'message', 'none'] as const) {
      const id = `client-${mode}`
      const asked = await session.play(mode, call(id, 'weather', { city: 'x' }))
      const answered = await session.play(mode, [{ role: 'tool', toolCallId: id, content: 'warm' }])
      expect(asked.calls.map(({ toolCallId }) => toolCallId)).toEqual([id])
      expect([...asked.results, ...answered.results]).toEqual([])
      expect(answered.text).toBe('RESULTS 1: warm')
    }
  })

  it(`aap 80${mark}: a model failure in mid-stream gives turn_stop error, and the next turn is served`, async () => {
    const session = await openSession(client())
    for (const mode of STREAMED) {
      const failed = await session.play(mode, script('say as far as this', 'fail', 'say not this'))
      expect(failed.stopReason).toBe('error')
      expect(failed.text).not.toContain('not this')
      const next = await session.play(mode, 'say back again')
      expect(next).toMatchObject({ stopReason: 'end_turn', text: 'back again' })
    }
    const texts = inBlocks(await session.talk()).filter(({ role }) => role === 'assistant')
    expect(texts.map((message) => textOf([message]))).toEqual([
      'as far as this',
      'back again',
      'as far as this',
      'back again',
    ])
  })

  it(`aap 81${mark}: a model stream that ends without a finish is an error, not a loop`, async () => {
    const session = await openSession(client())
    for (const mode of ['delta', 'message', 'none'] as const) {
      const played = await session.play(mode, script('say unfinished', 'nostop'))
      expect(played.stopReason).toBe('error')
      expect((await session.play(mode, 'say fine')).stopReason).toBe('end_turn')
    }
    const roles = (await session.talk()).map(({ role }) => role)
    expect(roles.filter((role) => role === 'user')).toHaveLength(6)
    expect(roles.filter((role) => role === 'assistant').length).toBeLessThanOrEqual(6)
  })

  it(`aap 82${mark}: a step limit ends a turn whose model calls trusted tools forever`, async () => {
    const session = await trusting()
    const endless = Array.from({ length: 600 }, (_, step) => call(`step${step}`, 'echo', { msg: `${step}` }))
    const played = await session.play('message', endless.join(`\n${NEXT}\n`))
    expect(played.stopReason).toBe('error')
    expect(played.calls.length).toBeGreaterThan(1)
    expect(played.calls.length).toBeLessThan(600)
    expect(played.results).toHaveLength(played.calls.length)
    expect((await session.play('none', 'say still here')).stopReason).toBe('end_turn')
  })

  it(`aap 83${mark}: max_tokens and refusal are passed through`, async () => {
    const session = await openSession(client())
    for (const mode of ['delta', 'message', 'none'] as const) {
      for (const stopReason of ['max_tokens', 'refusal']) {
        const played = await session.play(mode, script('say as much', `stop ${stopReason}`))
        expect(played).toMatchObject({ stopReason, text: 'as much' })
      }
    }
  })

  it(`aap 84${mark}: text with newlines, U+2028 and emoji arrives unchanged`, async () => {
    const session = await trusting()
    const lines = [
      'line\u2028separated \u2029 words',
      'family 👨‍👩‍👧‍👦 and 🏳️‍🌈',
      'tab\there "quoted" \\n back\\slash',
      '日本語 é e\u0301',
    ]
    const text = lines.join('\n')
    for (const mode of ['delta', 'message', 'none'] as const) {
      const id = `text-${mode}`
      const content = script(
        ...lines.map((line) => `say ${line}`),
        call(id, 'echo', { msg: `${text}\r\n\r\n` }),
        NEXT,
        text,
      )
      const played = await session.play(mode, content)
      expect(played.text).toBe(text + text)
      expect(played.results).toEqual([{ toolCallId: id, content: `${text}\r\n\r\n` }])
      expect(played.calls[0]?.input).toEqual({ msg: `${text}\r\n\r\n` })
      const stored = (await session.talk()).findLast(({ role }) => role === 'assistant')
      expect(stored && textOf([stored])).toBe(text)
    }
  })
})
