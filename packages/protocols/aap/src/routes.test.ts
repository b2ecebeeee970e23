import {
  calls,
  createFakeClock,
  createFakeModel,
  createFakeTool,
  createMemoryEventStore,
  createTestIds,
  finishes,
  plainParts,
  plainSecretBox,
  says,
  testDigest,
  thinks,
} from '@polylogue/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import { gist } from './test-support/parse-frames.ts'
import { openDoor, type Door, type DoorOptions } from './test-support/open-door.ts'

function createParts() {
  const clock = createFakeClock()
  const store = createMemoryEventStore({ clock })
  return {
    clock,
    store,
    model: createFakeModel(),
    ids: createTestIds(),
    digest: testDigest,
    secretBox: plainSecretBox,
    ...plainParts,
  }
}

type TestDoor = Door<ReturnType<typeof createParts>>
let door: TestDoor

afterEach(() => door.close())

const user = (content: unknown) => [{ role: 'user', content }]
const PNG = 'data:image/png;base64,iVBORw0KGgo='
const UNKNOWN = '/v3/sessions/00000000-0000-7000-8000-999999999999'

async function open(options: DoorOptions = {}, create: object = {}): Promise<string> {
  door = await openDoor(createParts(), options)
  const created = await door.send('POST', '/v3/sessions', { body: { agent: { name: 'tester' }, ...create } })
  expect(created.status).toBe(201)
  const { sessionId } = await created.json()
  return `/v3/sessions/${sessionId}`
}

async function turn(session: string, body: object) {
  return (await door.send('POST', `${session}/turns`, { body })).json()
}

async function streamed(session: string, body: object) {
  const reply = await door.send('POST', `${session}/turns`, { body })
  expect(reply.headers['content-type']).toBe('text/event-stream')
  return reply.frames()
}

async function refusal(method: string, path: string, sent: Parameters<TestDoor['send']>[2] = {}) {
  const reply = await door.send(method, path, sent)
  const { error } = await reply.json()
  return `${reply.status} ${error}`
}

describe('version 3', () => {
  it('answers a turn in each of its three modes', async () => {
    const session = await open()
    const step = [thinks('hm'), says('Hel'), says('lo'), finishes()]
    door.model.push(step, step, step)
    expect(await turn(session, { messages: user('hi') })).toEqual({
      stopReason: 'end_turn',
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm' },
            { type: 'text', text: 'Hello' },
          ],
        },
      ],
    })
    expect(gist(await streamed(session, { messages: user('hi'), stream: 'delta' }))).toEqual([
      { event: 'turn_start' },
      { event: 'thinking_delta', delta: 'hm' },
      { event: 'text_delta', delta: 'Hello' },
      { event: 'turn_stop', stopReason: 'end_turn' },
    ])
    expect(gist(await streamed(session, { messages: user('hi'), stream: 'message' }))).toEqual([
      { event: 'turn_start' },
      { event: 'thinking', thinking: 'hm' },
      { event: 'text', text: 'Hello' },
      { event: 'turn_stop', stopReason: 'end_turn' },
    ])
  })

  it('sends turn_start before the model answers', async () => {
    const session = await open()
    const gate = Promise.withResolvers<void>()
    door.model.push([() => gate.promise, says('late'), finishes()])
    const reply = await door.send('POST', `${session}/turns`, { body: { messages: user('hi'), stream: 'delta' } })
    await reply.until('event: turn_start')
    expect(reply.soFar).not.toContain('text_delta')
    gate.resolve()
    expect((await reply.frames()).map(({ event }) => event)).toEqual(['turn_start', 'text_delta', 'turn_stop'])
  })

  it('plays a permission round trip: ask, grant, run, go on', async () => {
    const tool = createFakeTool('write', { effect: 'unsafe' })
    const session = await open({ tools: [tool] }, { agent: { name: 'tester', tools: [{ name: 'write' }] } })
    door.model.push([calls('w', 'write', { path: 'a' }), finishes('tool-calls')])
    expect(await turn(session, { messages: user('write') })).toMatchObject({ stopReason: 'tool_use' })
    expect(tool.invocations).toEqual([])
    const grant = { messages: [{ role: 'tool_permission', toolCallId: 'w', granted: true }], stream: 'delta' }
    expect(gist(await streamed(session, grant))).toEqual([
      { event: 'turn_start' },
      { event: 'tool_result', toolCallId: 'w', content: 'write ran' },
      { event: 'text_delta', delta: 'done' },
      { event: 'turn_stop', stopReason: 'end_turn' },
    ])
    expect(await refusal('POST', `${session}/turns`, { body: grant })).toMatch(/^409 messages\[0\]\.toolCallId: /)
    expect(tool.invocations).toHaveLength(1)
  })

  it('shows a denial as a result, also that of a tool of the client', async () => {
    const tools = [{ name: 'weather', description: '', parameters: {} }]
    const session = await open(
      { tools: [createFakeTool('write')] },
      { agent: { name: 'tester', tools: [{ name: 'write' }] }, tools },
    )
    door.model.push([calls('w', 'write'), calls('c', 'weather'), finishes('tool-calls')])
    await turn(session, { messages: user('go') })
    const deny = (toolCallId: string, reason?: string) => ({
      role: 'tool_permission',
      toolCallId,
      granted: false,
      reason,
    })
    expect(await turn(session, { messages: [deny('w', 'no'), deny('c')] })).toEqual({
      stopReason: 'end_turn',
      messages: [
        { role: 'tool', toolCallId: 'w', content: 'Tool call denied: no' },
        { role: 'tool', toolCallId: 'c', content: 'Tool call denied' },
        { role: 'assistant', content: [{ type: 'text', text: 'done' }] },
      ],
    })
  })

  it('keeps images of every kind of message and gives the same URIs back', async () => {
    const messages = [
      { role: 'system', content: 'look' },
      {
        role: 'user',
        content: [
          { type: 'image', url: PNG },
          { type: 'image', url: 'https://example.org/a.png' },
        ],
      },
      { role: 'assistant', content: [{ type: 'tool_use', toolCallId: 'a', name: 'camera', input: {} }] },
      {
        role: 'tool',
        toolCallId: 'a',
        content: [
          { type: 'image', url: PNG },
          { type: 'text', text: 'x' },
        ],
      },
      { role: 'assistant', content: 'a plain string' },
    ]
    const session = await open({}, { messages })
    await turn(session, { messages: user([{ type: 'image', url: PNG }]) })
    const history = (await (await door.send('GET', `${session}/history?type=full`)).json()).history.full
    expect(history.slice(0, 6)).toEqual([...messages, { role: 'user', content: [{ type: 'image', url: PNG }] }])
    expect(door.model.requests[0]?.messages.at(-1)?.content).toMatchObject([
      { source: { type: 'blob', mediaType: 'image/png' } },
    ])
  })

  it('describes agents and sessions without what is secret or internal', async () => {
    const hidden = createFakeTool('hidden', { exposed: false })
    const shown = { ...createFakeTool('shown'), parameters: { $schema: 'x', type: 'object' } }
    const options = [
      { type: 'secret', name: 'apiKey', default: 'real-secret' },
      { type: 'select', name: 'model', choices: ['a', 'b'], default: 'a' },
    ] as const
    const tools = [{ name: 'weather', description: '', parameters: { $schema: 'kept' } }]
    const session = await open(
      { tools: [shown, hidden], options },
      { agent: { name: 'tester', options: { apiKey: 's3cret', junk: 'x' } }, tools },
    )
    expect(await (await door.send('GET', '/v3/meta')).json()).toEqual({
      version: 3,
      agents: [
        {
          name: 'tester',
          version: '1.0.0',
          tools: [{ name: 'shown', description: 'the tool shown', parameters: { type: 'object' } }],
          options: [
            { type: 'secret', name: 'apiKey', default: '' },
            { type: 'select', name: 'model', options: ['a', 'b'], default: 'a' },
          ],
          capabilities: {
            history: { compacted: {}, full: {} },
            stream: { delta: {}, message: {}, none: {} },
            application: { tools: {} },
            image: { http: {}, data: {} },
          },
        },
      ],
    })
    expect(await (await door.send('GET', session)).json()).toEqual({
      sessionId: session.slice(13),
      agent: { name: 'tester', options: { apiKey: '***' } },
      tools,
    })
  })

  it('pages through sessions, each exactly once, and the last page has no next', async () => {
    await open()
    for (let more = 0; more < 4; more++)
      await door.send('POST', '/v3/sessions', { body: { agent: { name: 'tester' } } })
    const seen: string[] = []
    let pages = 0
    for (let path: string | undefined = '/v3/sessions'; path !== undefined; pages++) {
      const page = await (await door.send('GET', path)).json()
      seen.push(...page.sessions.map((session: { sessionId: string }) => session.sessionId))
      expect('next' in page).toBe(page.next !== undefined)
      path = page.next === undefined ? undefined : `/v3/sessions?after=${page.next}`
    }
    expect([pages, seen.length, new Set(seen).size]).toEqual([3, 5, 5])
    expect(await refusal('GET', '/v3/sessions?after=nonsense')).toMatch(/^400 after/)
  })

  it('aap 110b: lists the exposed tools of a session of another door, and leaves client tools out', async () => {
    await open({ tools: [createFakeTool('a'), createFakeTool('b', { exposed: false })] })
    const { sessionId } = await door.engine.execute({
      type: 'create-session',
      userId: 'ann' as never,
      agent: 'tester',
      access: { type: 'preset' },
    })
    expect(await (await door.send('GET', `/v3/sessions/${sessionId}`)).json()).toEqual({
      sessionId,
      agent: { name: 'tester', tools: [{ name: 'a' }] },
    })
  })

  it('deletes a session, also in the middle of a turn, and answers as if it had never been', async () => {
    const session = await open()
    door.model.push([says('half'), () => new Promise(() => undefined)])
    const reply = await door.send('POST', `${session}/turns`, { body: { messages: user('hi'), stream: 'delta' } })
    await reply.until('half')
    const deleted = await door.send('DELETE', session, { headers: { 'content-type': 'application/json' } })
    expect([deleted.status, await deleted.text]).toEqual([204, ''])
    expect((await reply.frames()).at(-1)?.data).toMatchObject({ event: 'turn_stop', stopReason: 'error' })
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/history?type=full'],
      ['GET', '/events'],
      ['POST', '/cancel'],
      ['POST', '/turns'],
    ] as const) {
      expect(await refusal(method, session + path, { body: { messages: user('x'), stream: 'delta' } })).toBe(
        '404 there is no such session',
      )
    }
  })
})

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
    expect((await (await door.send('GET', '/v3/sessions', { key: 'ben' })).json()).sessions).toEqual([])
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
    expect((await (await door.send('GET', '/v3/sessions')).json()).sessions).toHaveLength(1)
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
    expect(door.model.requests).toEqual([])
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
    door.model.push([says('one'), () => gate.promise, finishes()])
    const first = await door.send('POST', `${session}/turns`, { body: { messages: user('hi'), stream: 'delta' } })
    await first.until('one')
    expect(await refusal('POST', `${session}/turns`, { body: { messages: user('again') } })).toMatch(/^409 /)
    gate.resolve()
    expect((await first.frames()).at(-1)?.data).toEqual({ event: 'turn_stop', stopReason: 'end_turn' })
  })
})

describe('version 1', () => {
  const agent = { name: 'tester' }
  const tools = [{ name: 'weather', description: '', inputSchema: { type: 'object' } }]

  it('creates and runs in one request, and the session goes on through version 3', async () => {
    await open()
    const created = await door.send('PUT', '/v1/session', {
      body: { agent, messages: [{ role: 'system', content: 's' }, ...user('hi')], tools },
    })
    expect(created.status).toBe(201)
    const { sessionId, ...answer } = await created.json()
    expect(answer).toEqual({
      stopReason: 'end_turn',
      messages: [{ role: 'assistant', content: [{ type: 'text', text: 'done' }] }],
    })
    expect(await turn(`/v3/sessions/${sessionId}`, { messages: user('more') })).toMatchObject({
      stopReason: 'end_turn',
    })
    expect((await (await door.send('GET', `/v3/sessions/${sessionId}`)).json()).tools).toEqual([
      { name: 'weather', description: '', parameters: { type: 'object' } },
    ])
    const shown = await (await door.send('GET', `/v1/session/${sessionId}`)).json()
    expect(shown).toMatchObject({ sessionId, agent, tools, history: { compacted: expect.any(Array) } })
    expect(shown.history.full.map((message: { role: string }) => message.role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
      'assistant',
    ])
    expect(
      Object.keys((await (await door.send('GET', `/v1/session/${sessionId}?history=full`)).json()).history),
    ).toEqual(['full'])
    expect(await refusal('GET', `/v1/session/${sessionId}?history=other`)).toMatch(/^400 history/)
    expect((await (await door.send('GET', '/v1/sessions')).json()).sessions).toContain(sessionId)
    expect((await door.send('DELETE', `/v1/session/${sessionId}`)).status).toBe(204)
    expect(await refusal('GET', `/v1/session/${sessionId}`)).toMatch(/^404 /)
  })

  it('streams session_start first when it creates, and not when it goes on', async () => {
    await open()
    const created = await door.send('PUT', '/v1/session', { body: { agent, messages: user('hi'), stream: 'delta' } })
    expect(created.status).toBe(200)
    const frames = await created.frames()
    expect(frames.map(({ event }) => event)).toEqual(['session_start', 'turn_start', 'text_delta', 'turn_stop'])
    const path = `/v1/session/${String(frames[0]?.data['sessionId'])}`
    const more = await door.send('POST', path, { body: { messages: user('hi'), stream: 'message' } })
    expect((await more.frames()).map(({ event }) => event)).toEqual(['turn_start', 'text', 'turn_stop'])
    expect(await (await door.send('POST', path, { body: { messages: user('hi') } })).json()).not.toHaveProperty(
      'sessionId',
    )
  })

  it('shows tools with inputSchema and refuses parameters', async () => {
    await open({ tools: [createFakeTool('t')] })
    const meta = await (await door.send('GET', '/v1/meta')).json()
    expect(meta).toMatchObject({
      version: 1,
      agents: [{ tools: [{ name: 't', description: 'the tool t', inputSchema: { type: 'object' } }] }],
    })
    const body = { agent, messages: user('hi'), tools: [{ name: 'x', description: '', parameters: {} }] }
    expect(await refusal('PUT', '/v1/session', { body })).toBe('400 tools[0].inputSchema: expected object')
    expect(await refusal('PUT', '/v1/session', { body: { agent, messages: [] } })).toBe(
      '400 Last message must be a user message',
    )
  })

  it('gives the id also when the model fails', async () => {
    await open()
    door.model.push([says('half'), { type: 'failed', error: { code: 'down', message: 'The model is away.' } }])
    const created = await door.send('PUT', '/v1/session', { body: { agent, messages: user('hi') } })
    expect([created.status, await created.json()]).toEqual([
      201,
      {
        sessionId: expect.any(String),
        stopReason: 'error',
        messages: [{ role: 'assistant', content: [{ type: 'text', text: 'half' }] }],
        error: { message: 'The model is away.' },
      },
    ])
  })
})
