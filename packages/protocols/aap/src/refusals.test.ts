import { createFakeParts, createFakeTool, finishes, says } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { user, usingDoor } from './test-support/using-door.ts'

const rig = usingDoor(createFakeParts)
const { open, refusal } = rig

const PNG = 'data:image/png;base64,iVBORw0KGgo='
const UNKNOWN = '/v3/sessions/00000000-0000-7000-8000-999999999999'

describe('refusals', () => {
  it('without a good key are 401 before anything else', async () => {
    const session = await open()
    for (const [method, path] of [
      ['GET', '/v3/meta'],
      ['GET', '/v3/sessions'],
      ['POST', '/v3/sessions'],
      ['GET', session],
      ['DELETE', session],
      ['GET', `${session}/history`],
      ['POST', `${session}/turns`],
      ['GET', `${session}/events`],
      ['POST', `${session}/cancel`],
      ['PUT', '/v1/session'],
      ['GET', '/v1/session/x'],
    ] as const) {
      expect(await refusal(method, path, { key: 'mallory', text: '{' })).toBe('401 Unauthorized')
    }
    expect(await refusal('GET', session, { headers: { authorization: 'Bearer' } })).toBe('401 Unauthorized')
  })

  it('of another user’s session are the same as of an unknown one', async () => {
    const session = await open()
    expect(await refusal('GET', session, { key: 'ben' })).toBe(await refusal('GET', UNKNOWN))
    expect((await (await rig.door.send('GET', '/v3/sessions', { key: 'ben' })).json()).sessions).toEqual([])
  })

  it('of unknown routes and methods are 404 with JSON', async () => {
    await open()
    for (const [method, path] of [
      ['GET', '/v3'],
      ['GET', '/v3/nope'],
      ['PUT', '/v3/sessions'],
      ['POST', '/v3/meta'],
      ['PUT', '/v3/session'],
      ['GET', '/v1/sessions/x/history'],
      ['GET', '/v3/sessions/not-an-id'],
    ] as const) {
      expect(await refusal(method, path)).toMatch(/^404 /)
    }
  })

  it.each([
    ['', '400 body: expected JSON, received nothing'],
    ['{', '400 body: not valid JSON'],
    ['{"agent":{"name":"nobody"}}', '400 agent.name: there is no agent of this name'],
    [
      '{"agent":{"name":"tester","tools":[{"name":"ghost"}]}}',
      '400 agent.tools: the agent tester exposes no tool called ghost',
    ],
    ['{"agent":{"name":"tester","options":{"model":"c"}}}', '400 agent.options.model: must be one of a, b'],
    [
      '{"agent":{"name":"tester","tools":[{"name":"t"}]},"tools":[{"name":"t","description":"","parameters":{}}]}',
      '400 tools: another tool is already called t',
    ],
    [
      '{"agent":{"name":"tester"},"messages":[{"role":"tool","toolCallId":"x","content":""}]}',
      '400 messages[0]: no tool call x comes before its result',
    ],
  ])('of the body %j name the field', async (text, expected) => {
    await open({
      tools: [createFakeTool('t')],
      options: [{ type: 'select', name: 'model', choices: ['a', 'b'], default: 'a' }],
    })
    expect(await refusal('POST', '/v3/sessions', { text })).toBe(expected)
    expect((await (await rig.door.send('GET', '/v3/sessions')).json()).sessions).toHaveLength(1)
  })

  it('for what the agent does not declare change nothing', async () => {
    const session = await open({
      features: { histories: ['compacted'], streams: ['none'], clientTools: false, images: [] },
    })
    const messages = user('hi')
    const tools = [{ name: 'weather', description: '', parameters: {} }]
    const image = user([{ type: 'image', url: PNG }])
    expect(await refusal('POST', `${session}/turns`, { body: { messages, stream: 'delta' } })).toBe(
      '400 stream: the agent does not offer delta',
    )
    expect(await refusal('POST', `${session}/turns`, { body: { messages, tools } })).toBe(
      '400 tools: the agent takes no client-side tools',
    )
    expect(await refusal('POST', `${session}/turns`, { body: { messages: image } })).toBe(
      '400 messages[0].content[0].url: the agent does not take data images',
    )
    expect(await refusal('POST', '/v3/sessions', { body: { agent: { name: 'tester' }, messages: image } })).toMatch(
      /^400 /,
    )
    expect(await refusal('GET', `${session}/history?type=full`)).toBe('404 the agent does not offer full history')
    expect(await refusal('GET', `${session}/events`)).toMatch(/^400 /)
    expect(await refusal('GET', `${UNKNOWN}/history?type=other`)).toBe('400 type: expected compacted or full')
    expect(rig.door.model.requests).toEqual([])
  })

  it('of a body over the limit come before it was read, with and without a length', async () => {
    const session = await open({ limits: { bodyBytes: 2_000, smallBodyBytes: 1_000 } })
    const text = JSON.stringify({ messages: user('x'.repeat(50_000)) })
    expect(await refusal('POST', `${session}/turns`, { text, headers: { 'content-length': `${text.length}` } })).toBe(
      '413 body: larger than 2000 bytes',
    )
    expect(await refusal('POST', `${session}/turns`, { text, headers: { 'transfer-encoding': 'chunked' } })).toBe(
      '413 body: larger than 2000 bytes',
    )
    expect(
      await refusal('POST', `${session}/cancel`, { text: text.slice(0, 1_001), headers: { 'content-length': '1001' } }),
    ).toBe('413 body: larger than 1000 bytes')
    expect(await refusal('POST', `${session}/turns`, { text: '{}', headers: { 'content-encoding': 'gzip' } })).toMatch(
      /^415 /,
    )
  })

  it('of a second turn leave the first undisturbed', async () => {
    const session = await open()
    const gate = Promise.withResolvers<void>()
    rig.door.model.push([says('one'), () => gate.promise, finishes()])
    const first = await rig.door.send('POST', `${session}/turns`, { body: { messages: user('hi'), stream: 'delta' } })
    await first.until('one')
    expect(await refusal('POST', `${session}/turns`, { body: { messages: user('again') } })).toMatch(/^409 /)
    gate.resolve()
    expect((await first.frames()).at(-1)?.data).toEqual({ event: 'turn_stop', stopReason: 'end_turn' })
  })
})
