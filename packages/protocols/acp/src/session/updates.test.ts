import type { Recorded, SessionId, Tool, ToolInvocation, ToolKind } from '@polylogue/engine'
import {
  calls,
  createAgentTool,
  createFakeParts,
  createFakeTool,
  finishes,
  hangs,
  loadAcpFrameChecker,
  says,
  thinks,
  untilQuiet,
} from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import type { ConnectOptions, WorldOptions } from '../test-support/open-world.ts'
import { usingWorlds } from '../test-support/using-worlds.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))

const profiles = ['standard', 'seed'] as const
const KINDS: readonly ToolKind[] = [
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'switch-mode',
  'other',
]

async function openSession(options: WorldOptions = {}, connect: ConnectOptions = {}) {
  const world = open(options)
  const connected = await world.connect(connect)
  return { ...world, ...connected, sessionId: (await connected.newSession()) as SessionId }
}

describe.each(profiles)('what the model says, in profile %s,', (profile) => {
  it('acp 82: comes as chunks that make up the answer', async () => {
    const { client, sessionId, say, model, clock } = await openSession({}, { profile })
    const step = Promise.withResolvers<void>()
    model.push([says('one '), says('two '), () => step.promise, says('three'), finishes()])
    const answered = say(sessionId, 'count')
    await client.untilUpdate(({ content }) => content?.text === 'one ')
    clock.advance(16)
    await client.untilUpdate(({ content }) => content?.text === 'two ')
    step.resolve()
    await answered
    expect(client.text()).toBe('one two three')
  })

  it('acp 82a: thoughts come as thoughts', async () => {
    const { client, sessionId, say, model } = await openSession({}, { profile })
    model.push([thinks('I '), thinks('wonder'), says('yes'), finishes()])
    await say(sessionId, 'go')
    expect(client.text('agent_thought_chunk')).toBe('I wonder')
    expect(client.text()).toBe('yes')
  })

  it('acp 82b: a failure of the model is told as a thought before the prompt is answered', async () => {
    const { client, sessionId, say, model } = await openSession({}, { profile })
    model.push([says('half'), { type: 'failed', error: { code: 'overloaded', message: 'The model is busy.' } }])
    const { error } = await say(sessionId, 'go')
    expect(error.code).toBe(-32603)
    expect(client.text('agent_thought_chunk')).toBe('Error: The model is busy.')
    expect(client.text()).toBe('half')
  })

  it('acp 82c: input from another door is told, and what follows from it', async () => {
    const { client, sessionId, model, engine, user, clock } = await openSession({}, { profile })
    model.push([says('to you too'), finishes()])
    const content = '<system-reminder>x</system-reminder>good morning'
    await engine.execute({ type: 'start-turn', userId: user, sessionId, content, whenRunning: 'queue' })
    await client.untilUpdate(({ content: chunk }) => chunk?.text === 'to you too')
    clock.advance(100)
    expect(client.kinds()).toEqual([
      'available_commands_update',
      'session_info_update',
      'user_message_chunk',
      'agent_message_chunk',
    ])
    expect(client.text('user_message_chunk')).toBe('good morning')
  })
})

describe('a message', () => {
  it('acp 83: has one id in all its chunks, and the next one has another', async () => {
    const { client, sessionId, say, model, clock } = await openSession({ tools: [createFakeTool('look')] })
    const pause = () => clock.advance(20)
    model.push(
      [says('a'), pause, says('b'), pause, says('c'), calls('c1', 'look'), finishes('tool-calls')],
      [says('d'), pause, says('e'), finishes()],
    )
    await say(sessionId, 'go')
    const said = client.updates().flatMap((update) => {
      return update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text'
        ? [[update.content.text, update.messageId] as const]
        : []
    })
    const ids = new Map(said)
    expect(said.length).toBeGreaterThan(3)
    expect(ids.get('a')).toBe(ids.get('c'))
    expect(ids.get('d')).toBe(ids.get('e'))
    expect(ids.get('a')).not.toBe(ids.get('d'))
  })
})

describe('a tool call', () => {
  it('acp 84, 85: is announced first, and ends once, however it ends', async () => {
    const boom = createFakeTool('boom', {
      run: () => {
        throw new Error('broken')
      },
    })
    const slow = createFakeTool('slow', { run: () => hangs() })
    const tools = [createFakeTool('look'), boom, slow, createFakeTool('write', { effect: 'unsafe' })]
    const { client, sessionId, say, model, engine, user } = await openSession({ tools })
    model.push(
      [
        calls('c1', 'look'),
        calls('c2', 'boom'),
        calls('c3', 'nobody'),
        calls('c4', 'look', { bad: true }),
        calls('c5', 'write'),
        finishes('tool-calls'),
      ],
      [calls('c6', 'write'), calls('c7', 'slow'), calls('c8', 'look'), finishes('tool-calls')],
    )
    client.answer('session/request_permission', () => ({ outcome: { outcome: 'selected', optionId: 'reject' } }))
    const answered = say(sessionId, 'go')
    await client.untilUpdate(({ toolCallId, status }) => toolCallId === 'c7' && status === 'in_progress')
    await engine.execute({ type: 'cancel-turn', userId: user, sessionId, reason: 'test', dropQueue: false })
    await answered
    const told = new Map<string, string[]>()
    for (const frame of client.frames) {
      const call = frame.params?.update?.toolCallId ?? frame.params?.toolCall?.toolCallId
      const state = frame.params?.update?.status ?? (frame.params?.toolCall && 'asked')
      if (call !== undefined) told.set(call, [...(told.get(call) ?? []), state])
    }
    expect([...told.keys()].toSorted()).toEqual(['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8'])
    for (const states of told.values()) {
      expect(states[0]).toBe('pending')
      expect(states.filter((state) => state === 'completed' || state === 'failed')).toHaveLength(1)
      expect(['completed', 'failed']).toContain(states.at(-1))
    }
    expect(told.get('c1')).toEqual(['pending', 'in_progress', 'completed'])
    expect(told.get('c5')).toEqual(['pending', 'asked', 'failed'])
    expect(told.get('c7')).toEqual(['pending', 'in_progress', 'failed'])
  })

  it('acp 86: has the kind that its tool declares', async () => {
    const tools = KINDS.map((kind): Tool => ({ ...createFakeTool(`tool-${kind}`), kind }))
    const { client, sessionId, say, model } = await openSession({ tools: [...tools, createFakeTool('plain')] })
    const all = [
      ...KINDS.map((kind) => calls(`c-${kind}`, `tool-${kind}`)),
      calls('c-plain', 'plain'),
      calls('c-x', 'nobody'),
    ]
    model.push([...all, finishes('tool-calls')])
    await say(sessionId, 'go')
    const kinds = client.updates().flatMap((update) => (update.sessionUpdate === 'tool_call' ? [update.kind] : []))
    expect(kinds).toEqual([...KINDS.map((kind) => kind.replace('-', '_')), 'other', 'other'])
  })

  it('acp 87, 88: carries the diffs and places that its tool told beforehand', async () => {
    const inspect: Tool['inspect'] = async () => ({
      facts: { type: 'write-files' },
      preview: {
        title: 'Edit src/a.ts',
        locations: [{ path: '/w/src/a.ts', line: 4 }, { path: '/w/src/b.ts' }],
        diffs: [
          { path: '/w/src/a.ts', oldText: 'old', newText: 'new' },
          { path: '/w/src/b.ts', newText: 'all new' },
        ],
      },
    })
    const { client, sessionId, say, model } = await openSession({ tools: [createFakeTool('change', { inspect })] })
    model.push([calls('c1', 'change', { path: 'src/a.ts' }), finishes('tool-calls')])
    await say(sessionId, 'go')
    expect(client.updates().find(({ sessionUpdate }) => sessionUpdate === 'tool_call')).toEqual({
      sessionUpdate: 'tool_call',
      toolCallId: 'c1',
      title: 'Edit src/a.ts',
      name: 'change',
      kind: 'other',
      status: 'pending',
      rawInput: { path: 'src/a.ts' },
      locations: [{ path: '/w/src/a.ts', line: 4 }, { path: '/w/src/b.ts' }],
      content: [
        { type: 'diff', path: '/w/src/a.ts', oldText: 'old', newText: 'new' },
        { type: 'diff', path: '/w/src/b.ts', oldText: null, newText: 'all new' },
      ],
    })
  })

  it.each([
    ['standard', ['a', 'abc', 'abcd'], ['abcd', 'done']],
    ['seed', ['a', 'bc', 'd'], ['d']],
  ] as const)('acp 89: shows its output while it runs as profile %s has it', async (profile, shown, last) => {
    const running = Promise.withResolvers<ToolInvocation>()
    const end = Promise.withResolvers<void>()
    const run = async (invocation: ToolInvocation) => {
      running.resolve(invocation)
      await end.promise
      return { content: 'done' }
    }
    const { client, sessionId, say, model, clock } = await openSession(
      { tools: [createFakeTool('shell', { run })] },
      { profile },
    )
    model.push([calls('c1', 'shell'), finishes('tool-calls')])
    const answered = say(sessionId, 'go')
    const { progress } = await running.promise
    const outputs = () =>
      client.updates().flatMap((update) => {
        if (update.sessionUpdate !== 'tool_call_update' || !update.content) return []
        return update.content.map((part) =>
          part.type === 'content' && part.content.type === 'text' ? part.content.text : '',
        )
      })
    progress('a')
    await client.untilUpdate(({ content }) => Array.isArray(content))
    progress('b')
    progress('c')
    await untilQuiet()
    expect(outputs()).toEqual(['a'])
    clock.advance(100)
    await untilQuiet()
    progress('d')
    clock.advance(100)
    await untilQuiet()
    expect(outputs()).toEqual(shown)
    end.resolve()
    await answered
    const final = client.updates().findLast(({ sessionUpdate }) => sessionUpdate === 'tool_call_update')
    expect(final).toMatchObject({ status: 'completed' })
    expect(outputs().at(-1)).toBe(last.at(-1))
  })

  it('shows the images of its result, live and later, and names those that are too large', async () => {
    const small = { hash: 'a'.repeat(64), mediaType: 'image/png', bytes: Buffer.from('small') }
    const large = { hash: 'b'.repeat(64), mediaType: 'image/png', bytes: Buffer.alloc(5 * 1024 * 1024) }
    const image = ({ hash, mediaType }: typeof small) =>
      ({ type: 'image', source: { type: 'blob', hash, mediaType } }) as const
    const run = async () => ({
      content: [{ type: 'text', text: 'look' } as const, image(small), image(large)],
      blobs: [small, large],
    })
    const { client, sessionId, say, model, connect, cwd } = await openSession({
      tools: [createFakeTool('shoot', { run })],
    })
    model.push([calls('c1', 'shoot'), finishes('tool-calls')], [says('nice'), finishes()])
    await say(sessionId, 'go')
    const later = await connect()
    await later.client.result('session/load', { sessionId, cwd, mcpServers: [] })
    const content = (data: string) => ({ type: 'content', content: { type: 'image', data, mimeType: 'image/png' } })
    const named = (text: string) => ({ type: 'content', content: { type: 'text', text } })
    for (const each of [client, later.client]) {
      const end = each.updates().find((update) => 'status' in update && update.status === 'completed')
      expect(end).toMatchObject({
        content: [named('look'), content(Buffer.from('small').toString('base64')), named('[image: image/png]')],
      })
      expect(each.text()).toBe('nice')
      expect(each.kinds().indexOf('tool_call_update')).toBeLessThan(each.kinds().indexOf('agent_message_chunk'))
    }
  })

  it.each([
    ['a completed plan', { todos: [{ content: 'x', status: 'pending' }] }, undefined, ['plan']],
    ['an empty list', { todos: [] }, undefined, ['tool_call', 'tool_call_update', 'tool_call_update']],
    ['a list of nonsense', { todos: [{ a: 1 }] }, undefined, ['tool_call', 'tool_call_update', 'tool_call_update']],
    ['a plan that failed', { todos: [{ content: 'x', status: 'pending' }] }, 'broken', []],
    ['a plan that was denied', { todos: [{ content: 'x', status: 'pending' }], bad: true }, undefined, []],
  ])('acp 90: %s is told as it should be', async (_name, input, failure, expected) => {
    const tool = createFakeTool('TodoWrite', {
      kind: 'plan',
      run: () => {
        if (failure !== undefined) throw new Error(failure)
        return { content: 'kept' }
      },
    })
    const { client, sessionId, say, model } = await openSession({ tools: [tool] })
    model.push([calls('c1', 'TodoWrite', input), finishes('tool-calls')])
    await say(sessionId, 'go')
    expect(client.kinds().filter((kind) => /^(plan|tool)/.test(kind))).toEqual(expected)
  })

  it('acp 90: a plan that has to be asked about is announced, so that the question can name it', async () => {
    const { client, sessionId, say, model } = await openSession({
      tools: [createFakeTool('TodoWrite', { effect: 'unsafe', kind: 'plan' })],
    })
    client.answer('session/request_permission', () => ({ outcome: { outcome: 'selected', optionId: 'allow' } }))
    model.push([calls('c1', 'TodoWrite', { todos: [{ content: 'x', status: 'pending' }] }), finishes('tool-calls')])
    await say(sessionId, 'go')
    expect(client.kinds().filter((kind) => /^(plan|tool)/.test(kind))).toEqual([
      'tool_call',
      'tool_call_update',
      'tool_call_update',
      'plan',
    ])
  })
})

describe('notes about the present', () => {
  it('acp 91: tell how full the context is, and that it is emptier after a compaction', async () => {
    const capabilities = { session: { compaction: {} } }
    const { client, sessionId, say, model } = await openSession({ contextWindow: 1_000 }, { capabilities })
    const usage = (inputTokens: number) =>
      ({ type: 'finished', finish: 'stop', usage: { inputTokens, outputTokens: 10 } }) as const
    model.push([says('a'.repeat(2_000)), usage(400)], [says('b'.repeat(2_000)), usage(800)])
    await say(sessionId, 'one '.repeat(100))
    await say(sessionId, 'two '.repeat(100))
    model.push([says('in short'), finishes()])
    expect(await say(sessionId, '/compact')).toMatchObject({ result: { stopReason: 'end_turn' } })
    const used = client.updates().flatMap((update) => (update.sessionUpdate === 'usage_update' ? [update] : []))
    expect(used.slice(0, 2)).toEqual([
      { sessionUpdate: 'usage_update', used: 410, size: 1_000 },
      { sessionUpdate: 'usage_update', used: 810, size: 1_000 },
    ])
    expect(used).toHaveLength(3)
    expect(used[2]?.used).toBeLessThan(810)
    const compactions = client.updates().filter(({ sessionUpdate }) => sessionUpdate === 'compaction_update')
    expect(compactions).toMatchObject([{ status: 'in_progress' }, { status: 'completed', summary: [{ type: 'text' }] }])
    expect(client.text()).toMatch(/Compacted/)
  })

  it('acp 92: leave out what the client did not say it shows', async () => {
    const world = open({
      contextWindow: 1_000,
      sessionServers: { open: async (_id, _servers, problem) => problem('no'), close: async () => undefined },
    })
    const { client, newSession, say } = await world.connect({ capabilities: { session: { notices: null } } })
    const sessionId = await newSession()
    world.model.push([says('a'.repeat(2_000)), finishes()], [says('b'.repeat(2_000)), finishes()])
    await say(sessionId, 'one '.repeat(100))
    await say(sessionId, 'two '.repeat(100))
    await say(sessionId, '/compact')
    expect(client.kinds().filter((kind) => /notice|compaction/.test(kind))).toEqual([])
  })

  it('acp 93, 94: every frame fits the official schema, and updates have no keys of our own', async () => {
    const check = await loadAcpFrameChecker()
    const update = (more: object) => ({
      jsonrpc: '2.0',
      method: 'session/update',
      params: { sessionId: 's', update: more },
    })
    const chunk = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'x' } }
    expect(check.received(update(chunk))).toBeUndefined()
    // The check itself: it must be able to fail, or the frames of all other tests prove nothing.
    expect(check.received(update({ ...chunk, schema_version: 1 }))).toBe('agent_message_chunk has no schema_version')
    expect(check.received(update({ ...chunk, content: { type: 'text' } }))).toMatch(/SessionNotification/)
    expect(check.received(update({ sessionUpdate: 'plan', entries: [{ content: 'x' }] }))).toMatch(
      /SessionNotification/,
    )
    expect(check.received({ jsonrpc: '2.0', id: 1, method: 'session/ask', params: {} })).toBe('unknown: session/ask')
    check.sent({ id: 7, method: 'session/prompt' })
    expect(check.received({ jsonrpc: '2.0', id: 7, result: { stopReason: 'done' } })).toMatch(/PromptResponse/)
    expect(check.received({ jsonrpc: '2.0', id: 8, error: { message: 'x' } })).toMatch(/Error/)
  })

  it('a session is named after the first thing that is said in it', async () => {
    const { client, sessionId, say, engine, user } = await openSession()
    await say(sessionId, '  Why is\nthe sky blue? '.padEnd(100, 'x'))
    await say(sessionId, 'and the sea?')
    await engine.execute({ type: 'configure-session', userId: user, sessionId, changes: { title: 'Colours' } })
    await client.untilUpdate(({ title }) => title === 'Colours')
    const titles = client
      .updates()
      .flatMap((update) => (update.sessionUpdate === 'session_info_update' ? [update.title] : []))
    expect(titles).toEqual([expect.stringMatching(/^Why is the sky blue\? x+…$/), 'Colours'])
  })

  it('a sub-agent is shown by its beginning, its end and its calls, not by what it says', async () => {
    const { client, sessionId, say, model } = await openSession({ tools: [createFakeTool('look'), createAgentTool()] })
    model.push(
      [calls('c1', 'Agent', { description: 'find it', prompt: 'find' }), finishes('tool-calls')],
      [says('secret words'), calls('c2', 'look'), finishes('tool-calls')],
      [says('found'), finishes()],
    )
    await say(sessionId, 'go')
    expect(client.text('agent_thought_chunk')).toBe(
      '[sub-agent started: tester] find it[sub-agent finished: tester (finished, 2 turns)]',
    )
    expect(client.text()).toBe('done')
    const toolCalls = client
      .updates()
      .flatMap((update) => (update.sessionUpdate === 'tool_call' ? [update.toolCallId] : []))
    expect(toolCalls).toEqual(['c1', 'c2'])
  })

  it('a client that does not read is told nothing until it does, and then misses nothing', async () => {
    const world = open({ limits: { outBufferBytes: 2_000 } })
    const { client, newSession, say } = await world.connect()
    const sessionId = await newSession()
    const words = Array.from({ length: 300 }, (_, index) => `word${index} `)
    world.model.push([...words.flatMap((word) => [says(word), () => world.clock.advance(20)]), finishes()])
    client.sleep()
    const ended = world.turnEnded(sessionId)
    const answered = say(sessionId, 'go')
    await ended
    client.wake()
    expect(await answered).toMatchObject({ result: { stopReason: 'end_turn' } })
    expect(client.text()).toBe(words.join(''))
    expect(client.updates().length).toBeLessThan(200)
  })

  it('a client that reads slowly is told a long past without anything being left out', async () => {
    const world = open({ limits: { outBufferBytes: 1_000 } })
    const { client, newSession, say } = await world.connect()
    const sessionId = await newSession()
    const texts = Array.from({ length: 20 }, (_, index) => `prompt ${index} `.repeat(20))
    for (const text of texts) await say(sessionId, text)
    await client.leave()
    const later = await world.connect()
    const loaded = later.client.result('session/load', { sessionId, cwd: world.cwd, mcpServers: [] })
    later.client.sleep()
    await untilQuiet()
    later.client.wake()
    await loaded
    expect(later.client.text('user_message_chunk')).toBe(texts.map((text) => text.trim()).join(''))
  })

  it('a client that asks and asks and never reads is let go', async () => {
    const world = open({ limits: { outBufferBytes: 1_000, frameBytes: 2_000 } })
    const { client, connection } = await world.connect()
    client.sleep()
    for (let count = 0; count < 200; count += 1) client.notify('session/cancel', {})
    for (let count = 0; count < 200; count += 1) client.send({ jsonrpc: '2.0', id: count, method: 'authenticate' })
    await connection.closed
    client.wake()
    await client.leave()
    expect(client.problemOfEnd).toMatchObject({ message: 'the client does not read' })
    expect(world.logged).toContainEqual(expect.objectContaining({ message: 'a client stopped reading' }))
  })

  it('acp 58: one event that cannot be shown is left out, and the others are told', async () => {
    const isFirst = ({ event }: Recorded): boolean =>
      event.type === 'step.answered' && event.blocks.some((block) => block.type === 'text' && block.text === 'first')
    const breakFirst = (recorded: Recorded): Recorded =>
      isFirst(recorded) ? { ...recorded, event: { ...recorded.event, blocks: [null] } as never } : recorded
    const world = open({
      around: (engine) => ({
        ...engine,
        attach: (user, id, { after, reader }) =>
          engine.attach(user, id, {
            after,
            reader: {
              recorded: (recorded) => reader.recorded(breakFirst(recorded)),
              delta: (delta) => reader.delta(delta),
              closed: (reason) => reader.closed(reason),
            },
          }),
      }),
    })
    world.model.push([says('first'), finishes()], [says('second'), finishes()])
    const { newSession, say } = await world.connect()
    const sessionId = await newSession()
    await say(sessionId, 'one')
    await say(sessionId, 'two')
    const { client } = await world.connect()
    await client.result('session/load', { sessionId, cwd: world.cwd, mcpServers: [] })
    expect(client.text('user_message_chunk')).toBe('onetwo')
    expect(client.text()).toBe('second')
    expect(world.logged).toContainEqual(expect.objectContaining({ message: 'an event could not be sent to a client' }))
  })
})
