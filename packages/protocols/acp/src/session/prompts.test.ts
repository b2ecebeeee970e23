import type { SessionId } from '@polylogue/engine'
import { calls, createFakeParts, createFakeTool, finishes, hangs, loadAcpFrameChecker, says } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { usingWorlds } from '../test-support/using-worlds.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))

const notFound = { standard: -32002, seed: -32602 } as const
const profiles = ['standard', 'seed'] as const
const PNG = 'iVBORw0KGgo='
const STOP_REASONS = ['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled']

async function openSession(profile: (typeof profiles)[number] = 'standard', options: Parameters<typeof open>[0] = {}) {
  const world = open(options)
  const connected = await world.connect({ profile })
  const sessionId = await connected.newSession()
  const prompt = (blocks: unknown) => connected.client.call('session/prompt', { sessionId, prompt: blocks })
  return { ...world, ...connected, sessionId, prompt }
}

describe.each(profiles)('a prompt, in profile %s,', (profile) => {
  it.each([[[]], [undefined], ['text'], [{}], [null]])('acp 70: that is %j is refused', async (blocks) => {
    const { prompt, model } = await openSession(profile)
    expect(await prompt(blocks)).toMatchObject({ error: { code: -32602, data: { field: 'prompt' } } })
    expect(model.requests).toEqual([])
  })

  it.each([['text'], [7], [null], [{}], [{ type: 5 }], [{ type: 'video' }], [[{ type: 'text', text: 'x' }]]])(
    'acp 71: with the block %j is refused',
    async (block) => {
      const { prompt } = await openSession(profile)
      expect(await prompt([{ type: 'text', text: 'fine' }, block])).toMatchObject({ error: { code: -32602 } })
    },
  )

  it.each([[{ type: 'text' }], [{ type: 'text', text: 5 }], [{ type: 'text', text: null }]])(
    'acp 72: with the text block %j is refused',
    async (block) => {
      const { prompt } = await openSession(profile)
      expect(await prompt([block])).toMatchObject({ error: { code: -32602 } })
    },
  )

  it('acp 73: may contain links', async () => {
    const { prompt, model } = await openSession(profile)
    const answer = await prompt([
      { type: 'text', text: 'read' },
      { type: 'resource_link', uri: 'file:///w/a.txt', name: 'a.txt' },
      { type: 'resource_link', uri: 'file:///w/b.txt', name: 'b.txt', title: 'The B' },
      { type: 'resource_link', uri: 'file:///w/c.txt' },
    ])
    expect(answer).toMatchObject({ result: { stopReason: 'end_turn' } })
    const content = 'read\n\n[a.txt](file:///w/a.txt)\n\n[The B](file:///w/b.txt)\n\n[file:///w/c.txt]'
    expect(model.requests[0]?.messages).toEqual([{ role: 'user', content }])
    expect(await prompt([{ type: 'resource_link', uri: '' }])).toMatchObject({ error: { code: -32602 } })
  })

  it('acp 74: must not contain audio', async () => {
    const { prompt } = await openSession(profile)
    const audio = { type: 'audio', data: PNG, mimeType: 'audio/wav' }
    expect(await prompt([audio])).toMatchObject({ error: { code: -32602 } })
  })

  it('acp 76: for an unknown session is refused', async () => {
    const { client } = await openSession(profile)
    const params = { sessionId: 'unknown', prompt: [{ type: 'text', text: 'x' }] }
    expect(await client.error('session/prompt', params)).toMatchObject({
      code: notFound[profile],
      message: expect.stringContaining('unknown sessionId'),
      data: { sessionId: 'unknown', reason: 'session_not_found' },
    })
    for (const bad of [{}, { sessionId: '' }, { sessionId: 5 }, [], 'x', null]) {
      expect(await client.error('session/prompt', bad)).toMatchObject({ code: -32602 })
    }
  })
})

describe('the content of a prompt', () => {
  it.each([
    { type: 'image', data: PNG, mimeType: 'image/png' },
    { type: 'resource', resource: { uri: 'file:///a', text: 'x' } },
  ])('acp 74: $type is refused in profile seed', async (block) => {
    const { prompt } = await openSession('seed')
    expect(await prompt([block])).toMatchObject({ error: { code: -32602 } })
  })

  it('acp 75: an image reaches the model', async () => {
    const { prompt, model } = await openSession()
    await prompt([
      { type: 'text', text: 'what is it?' },
      { type: 'image', data: PNG, mimeType: 'image/png', uri: 'http://never.fetched' },
    ])
    const [request] = model.requests
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/)
    expect(request?.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'what is it?' },
          { type: 'image', source: { type: 'blob', hash, mediaType: 'image/png' } },
        ],
      },
    ])
    const [message] = request?.messages ?? []
    const part = message?.role === 'user' && typeof message.content !== 'string' ? message.content[1] : undefined
    const source = part?.type === 'image' ? part.source : undefined
    const bytes = await request?.readBlob(source?.type === 'blob' ? source.hash : '')
    expect(Buffer.from(bytes ?? []).toString('base64')).toBe(PNG)
  })

  it('acp 75: an invalid image is refused', async () => {
    const { prompt, model } = await openSession()
    const tooLarge = 'A'.repeat(((20 * 1024 * 1024) / 3 + 2) * 4)
    for (const more of [
      { data: 'not base64!' },
      { data: '' },
      { data: 5 },
      { data: tooLarge },
      { mimeType: 'text/plain' },
      { mimeType: 'image/' },
      { mimeType: undefined },
    ]) {
      const block = { type: 'image', data: PNG, mimeType: 'image/png', ...more }
      expect(await prompt([block])).toMatchObject({ error: { code: -32602 } })
    }
    const many = Array.from({ length: 17 }, () => ({ type: 'image', data: PNG, mimeType: 'image/png' }))
    expect(await prompt(many)).toMatchObject({ error: { code: -32602 } })
    expect(model.requests).toEqual([])
  })

  it('acp 75: embedded text reaches the model with its URI, and a blob according to its type', async () => {
    const { prompt, model } = await openSession()
    const json = Buffer.from('{"a":1}').toString('base64')
    await prompt([
      { type: 'resource', resource: { uri: 'file:///a.txt', text: 'line' } },
      { type: 'resource', resource: { uri: 'file:///b.json', blob: json, mimeType: 'application/json' } },
      { type: 'resource', resource: { uri: 'file:///c.zip', blob: json, mimeType: 'application/zip' } },
      { type: 'resource', resource: { uri: 'file:///d.png', blob: PNG, mimeType: 'image/png' } },
    ])
    expect(model.requests[0]?.messages).toMatchObject([
      {
        content: [
          {
            text:
              '<resource uri="file:///a.txt">\nline\n</resource>\n\n<resource uri="file:///b.json">\n{"a":1}\n</resource>' +
              '\n\n[file:///c.zip: application/zip, not shown]',
          },
          { type: 'image' },
        ],
      },
    ])
    for (const resource of [{ uri: 'file:///a' }, { text: 'x' }, { uri: 'file:///a', blob: '!' }, 'x']) {
      expect(await prompt([{ type: 'resource', resource }])).toMatchObject({ error: { code: -32602 } })
    }
  })
})

describe('a busy session', () => {
  it('acp 77: queues eight prompts, answers them in order, and refuses the ninth', async () => {
    const { client, sessionId, say, model } = await openSession()
    const first = Promise.withResolvers<void>()
    model.push([says('one'), () => first.promise, finishes()])
    const answered: number[] = []
    const prompts = Array.from({ length: 9 }, (_, index) =>
      say(sessionId, `prompt ${index}`).then((answer) => {
        answered.push(index)
        return answer
      }),
    )
    await client.untilUpdate(({ content }) => content?.text === 'one')
    expect(await say(sessionId, 'one too many')).toMatchObject({
      error: { code: -32600, data: { reason: 'queue_full' } },
    })
    first.resolve()
    const answers = await Promise.all(prompts)
    expect(answers.map(({ result }) => result.stopReason)).toEqual(Array.from({ length: 9 }, () => 'end_turn'))
    expect(answered).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
    expect(client.kinds()).not.toContain('user_message_chunk')
  })

  it('acp 77: refuses a second prompt in profile seed, and the first continues', async () => {
    const { client, sessionId, say, model } = await openSession('seed')
    const first = Promise.withResolvers<void>()
    model.push([says('one'), () => first.promise, finishes()])
    const answered = say(sessionId, 'one')
    expect(await say(sessionId, 'two')).toMatchObject({ error: { code: -32600 } })
    await client.untilUpdate(({ content }) => content?.text === 'one')
    expect(await say(sessionId, 'three')).toMatchObject({ error: { code: -32600 } })
    first.resolve()
    expect(await answered).toMatchObject({ result: { stopReason: 'end_turn' } })
  })

  it.each(profiles)(
    'a prompt queued behind one that waits for a permission does not take its place (%s)',
    async (profile) => {
      const tool = createFakeTool('write', { effect: 'unsafe' })
      const { client, sessionId, say, model } = await openSession(profile, { tools: [tool] })
      model.push([calls('c1', 'write'), finishes('tool-calls')])
      const first = say(sessionId, 'write')
      const { id } = await client.untilRequest('session/request_permission')
      const second = say(sessionId, 'and then')
      await client.result('session/list', {})
      client.send({ jsonrpc: '2.0', id, result: { outcome: { outcome: 'selected', optionId: 'allow' } } })
      expect(await first).toMatchObject({ result: { stopReason: 'end_turn' } })
      expect(await second).toMatchObject(
        profile === 'seed' ? { error: { code: -32600 } } : { result: { stopReason: 'end_turn' } },
      )
      expect(tool.invocations).toHaveLength(1)
    },
  )

  it('input from another door replaces a waiting turn, and its prompt is answered as cancelled', async () => {
    const world = open({ tools: [createFakeTool('write', { effect: 'unsafe' })] })
    const { client, newSession, say } = await world.connect()
    const sessionId = (await newSession()) as SessionId
    world.model.push([calls('c1', 'write'), finishes('tool-calls')], [says('other'), finishes()])
    const answered = say(sessionId, 'write')
    const { id } = await client.untilRequest('session/request_permission')
    await world.engine.execute({
      type: 'start-turn',
      userId: world.user,
      sessionId,
      content: 'never mind',
      whenRunning: 'queue',
    })
    expect(await answered).toMatchObject({ result: { stopReason: 'cancelled' } })
    await client.until(({ method, params }) => method === '$/cancel_request' && params.requestId === id)
    await client.untilUpdate(({ content }) => content?.text === 'other')
    expect(client.text('user_message_chunk')).toBe('never mind')
  })

  it('acp 78: does not block another session', async () => {
    const { client, sessionId, say, model, newSession } = await openSession()
    model.push([says('one'), () => hangs()])
    const first = say(sessionId, 'one')
    await client.untilUpdate(({ content }) => content?.text === 'one')
    expect(await say(await newSession(), 'two')).toMatchObject({ result: { stopReason: 'end_turn' } })
    await client.result('session/cancel', { sessionId })
    expect(await first).toMatchObject({ result: { stopReason: 'cancelled' } })
  })
})

describe('the answer to a prompt', () => {
  it('acp 79: is the last frame of its turn', async () => {
    const { client, sessionId, say, model } = await openSession('standard', { tools: [createFakeTool('look')] })
    model.push([says('a'), calls('c1', 'look'), finishes('tool-calls')], [says('b'), says('c'), says('d'), finishes()])
    const { id, result } = await say(sessionId, 'go')
    expect(STOP_REASONS).toContain(result.stopReason)
    await client.result('session/list', {})
    const behind = client.frames.slice(client.frames.findIndex((frame) => frame.id === id) + 1)
    expect(behind.map(({ method }) => method)).toEqual([undefined])
    expect(client.text()).toBe('abcd')
  })

  it('acp 80: reports that the token limit was reached', async () => {
    const { sessionId, say, model } = await openSession()
    model.push([says('a'), finishes('token-limit')])
    expect(await say(sessionId, 'go')).toMatchObject({ result: { stopReason: 'max_tokens' } })
  })

  it('acp 80: reports that the model refused', async () => {
    const { sessionId, say, model } = await openSession()
    model.push([says('no'), finishes('refused')])
    expect(await say(sessionId, 'go')).toMatchObject({ result: { stopReason: 'refusal' } })
  })

  it('acp 80, acp finding 10: reports that there were too many steps, and how many are allowed', async () => {
    const { sessionId, say, model, client } = await openSession('standard', {
      tools: [createFakeTool('look')],
      maxSteps: 2,
    })
    for (const id of ['c1', 'c2', 'c3']) model.push([calls(id, 'look', { id }), finishes('tool-calls')])
    expect(await say(sessionId, 'go')).toMatchObject({ result: { stopReason: 'max_turn_requests' } })
    expect(client.text('agent_thought_chunk')).toContain('The agent stopped after 2 steps.')
  })

  it('acp 80: reports that a call was repeated too often', async () => {
    const tool = createFakeTool('look')
    const { sessionId, say, model, client } = await openSession('standard', { tools: [tool], maxSteps: 50 })
    for (let call = 1; call <= 20; call += 1) model.push([calls(`c${call}`, 'look', { a: 1 }), finishes('tool-calls')])
    expect(await say(sessionId, 'go')).toMatchObject({ result: { stopReason: 'max_turn_requests' } })
    expect(tool.invocations.length).toBeLessThan(20)
    expect(client.text('agent_thought_chunk')).toMatch(/^Error: \w/)
  })

  it('acp 81: is an error when the model failed, and the session stays usable', async () => {
    const { sessionId, say, model } = await openSession()
    model.push([{ type: 'failed', error: { code: 'overloaded', message: 'The model is busy.' } }])
    expect(await say(sessionId, 'go')).toMatchObject({
      error: { code: -32603, message: 'The model is busy.', data: { reason: 'llm_error' } },
    })
    expect(await say(sessionId, 'again')).toMatchObject({ result: { stopReason: 'end_turn' } })
  })

  it('is an error when the server stops under it', async () => {
    const { sessionId, say, model, client, engine } = await openSession()
    model.push([says('a'), () => hangs()])
    const answered = say(sessionId, 'go')
    await client.untilUpdate(({ content }) => content?.text === 'a')
    await engine.stop(0)
    expect(await answered).toMatchObject({ error: { code: -32603, data: { reason: 'interrupted' } } })
  })

  it('is sent again when the same prompt is repeated with its id', async () => {
    const { sessionId, say, model } = await openSession()
    const numbered = { _meta: { 'polylogue/messageId': 'm1' } }
    expect(await say(sessionId, 'go', numbered)).toMatchObject({ result: { stopReason: 'end_turn' } })
    expect(await say(sessionId, 'go', numbered)).toMatchObject({ result: { stopReason: 'end_turn' } })
    expect(model.requests).toHaveLength(1)
    expect(await say(sessionId, 'other', numbered)).toMatchObject({ error: { code: -32600 } })
    expect(await say(sessionId, 'x', { _meta: { 'polylogue/messageId': 7 } })).toMatchObject({
      error: { code: -32602 },
    })
  })

  it('comes from the running turn when a reconnected client repeats the prompt', async () => {
    const world = open()
    const more = Promise.withResolvers<void>()
    const numbered = { _meta: { 'polylogue/messageId': 'm1' } }
    world.model.push([says('a'), () => more.promise, finishes()])
    const first = await world.connect({ recovery: 'continue' })
    const sessionId = await first.newSession()
    void first.say(sessionId, 'go', numbered).catch(() => undefined)
    await first.client.untilUpdate(({ content }) => content?.text === 'a')
    await first.client.leave()
    const { client, say } = await world.connect({ recovery: 'continue' })
    await client.result('session/load', { sessionId, cwd: world.cwd, mcpServers: [] })
    const answered = say(sessionId, 'go', numbered)
    more.resolve()
    expect(await answered).toMatchObject({ result: { stopReason: 'end_turn' } })
    expect(world.model.requests).toHaveLength(1)
  })
})

describe('a command', () => {
  it('is executed, and other text that begins with a slash goes to the model', async () => {
    const { sessionId, say, model, client } = await openSession()
    expect(await say(sessionId, '/compact')).toMatchObject({ result: { stopReason: 'end_turn' } })
    expect(client.text()).toBe('There is nothing to compact yet.')
    await say(sessionId, '/unknown thing')
    expect(model.requests[0]?.messages).toEqual([{ role: 'user', content: '/unknown thing' }])
  })
})

describe('the usage of a prompt', () => {
  const took = { inputTokens: 100, outputTokens: 10, cachedInputTokens: 60, cacheWriteTokens: 15, reasoningTokens: 4 }
  const finish = (type: 'stop' | 'tool-calls') => ({ type: 'finished', finish: type, usage: took }) as const

  it('acp finding 11: is the sum of its model calls', async () => {
    const world = open({ tools: [createFakeTool('look')] })
    world.model.push([calls('c1', 'look'), finish('tool-calls')], [says('done'), finish('stop')])
    const { newSession, say } = await world.connect()
    expect((await say(await newSession(), 'go')).result).toEqual({
      stopReason: 'end_turn',
      usage: {
        totalTokens: 220,
        inputTokens: 50,
        outputTokens: 20,
        cachedReadTokens: 120,
        cachedWriteTokens: 30,
        thoughtTokens: 8,
      },
    })
  })

  it('is not sent in profile seed', async () => {
    const world = open()
    world.model.push([says('done'), finish('stop')])
    const { newSession, say } = await world.connect({ profile: 'seed' })
    expect((await say(await newSession(), 'go')).result).toEqual({ stopReason: 'end_turn' })
  })
})
