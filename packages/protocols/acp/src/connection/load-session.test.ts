import { calls, createFakeParts, createFakeTool, finishes, hangs, loadAcpFrameChecker, says } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { usingWorlds } from '../test-support/using-worlds.ts'
import { isHistory, storeSession } from '../test-support/store-session.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))
const notFound = { standard: -32002, seed: -32602 } as const
const profiles = ['standard', 'seed'] as const

describe('session/load', () => {
  it('acp 54: replays the whole history before its answer and nothing of it afterwards', async () => {
    const world = open({ tools: [createFakeTool('look')] })
    world.model.push([says('a'), calls('c1', 'look'), finishes('tool-calls')], [says('b'), finishes()])
    const sessionId = await storeSession(world)
    const { client } = await world.connect()
    await client.result('session/load', { sessionId, cwd: world.cwd, mcpServers: [] })
    await client.untilUpdate(({ sessionUpdate }) => sessionUpdate === 'available_commands_update')
    const order = client.frames
      .slice(1)
      .map(({ params, result }) => params?.update.sessionUpdate ?? (result && 'answer'))
    expect(order).toEqual([
      'user_message_chunk',
      'agent_message_chunk',
      'tool_call',
      'tool_call_update',
      'agent_message_chunk',
      'answer',
      'available_commands_update',
    ])
  })

  it('acp 55: leaves out system reminders and system messages', async () => {
    const world = open()
    const { sessionId } = await world.engine.execute({
      type: 'create-session',
      userId: world.user,
      agent: 'tester',
      access: { type: 'preset' },
      directories: [world.cwd],
      seed: [
        { role: 'system', text: 'be good' },
        { role: 'user', content: '<system-reminder>do not tell\nthis</system-reminder>  hello ' },
        { role: 'user', content: '<system-reminder>only this</system-reminder>' },
        { role: 'assistant', content: 'hi' },
      ],
    })
    const { client } = await world.connect()
    await client.result('session/load', { sessionId, cwd: world.cwd, mcpServers: [] })
    const history = client.updates().filter(({ sessionUpdate }) => isHistory(sessionUpdate))
    expect(history.map((update) => ('content' in update ? update.content : update))).toEqual([
      { type: 'text', text: 'hello' },
      { type: 'text', text: 'hi' },
    ])
  })

  it('acp 56: a call and its result share an id and end once', async () => {
    const failing = createFakeTool('boom', {
      run: () => {
        throw new Error('broken')
      },
    })
    const world = open({ tools: [createFakeTool('look'), failing] })
    world.model.push([calls('c1', 'look', { a: 1 }), calls('c2', 'boom'), finishes('tool-calls')])
    const sessionId = await storeSession(world)
    const { client } = await world.connect()
    await client.result('session/load', { sessionId, cwd: world.cwd, mcpServers: [] })
    const told = client.updates().flatMap((update) => {
      if (update.sessionUpdate !== 'tool_call' && update.sessionUpdate !== 'tool_call_update') return []
      return [[update.toolCallId, update.status]]
    })
    expect(told).toEqual([
      ['c1', 'pending'],
      ['c2', 'pending'],
      ['c1', 'completed'],
      ['c2', 'failed'],
    ])
  })

  it('acp 56: so do a call and its result in an imported history', async () => {
    const world = open()
    const { sessionId } = await world.engine.execute({
      type: 'create-session',
      userId: world.user,
      agent: 'tester',
      access: { type: 'preset' },
      directories: [world.cwd],
      seed: [
        { role: 'user', content: 'go' },
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: 'old1' as never, name: 'gone', input: { _raw: '{"a":' } }],
        },
        { role: 'tool', toolCallId: 'old1' as never, content: 'fine' },
      ],
    })
    const { client } = await world.connect()
    await client.result('session/load', { sessionId, cwd: world.cwd, mcpServers: [] })
    expect(client.updates().slice(1, 3)).toMatchObject([
      { sessionUpdate: 'tool_call', toolCallId: 'old1', kind: 'other', rawInput: { _raw: '{"a":' } },
      { sessionUpdate: 'tool_call_update', toolCallId: 'old1', status: 'completed' },
    ])
  })

  it('acp 57: a plan is replayed as a plan', async () => {
    const world = open({ tools: [createFakeTool('TodoWrite', { kind: 'plan' })] })
    const todos = [{ content: 'look', status: 'completed', priority: 'high' }]
    world.model.push([calls('c1', 'TodoWrite', { todos }), finishes('tool-calls')])
    const sessionId = await storeSession(world)
    const { client } = await world.connect()
    await client.result('session/load', { sessionId, cwd: world.cwd, mcpServers: [] })
    const history = client.updates().filter(({ sessionUpdate }) => isHistory(sessionUpdate))
    expect(history.map(({ sessionUpdate }) => sessionUpdate)).toEqual([
      'user_message_chunk',
      'plan',
      'agent_message_chunk',
    ])
    expect(history[1]).toEqual({
      sessionUpdate: 'plan',
      entries: [{ content: 'look', status: 'completed', priority: 'high' }],
    })
  })

  it.each(profiles)('acp 59: an unknown id is reported as such in profile %s', async (profile) => {
    const world = open()
    const { client } = await world.connect({ profile })
    const stranger = await world.connect({ userId: 'ben' as never })
    const theirs = await stranger.newSession()
    for (const sessionId of ['unknown', theirs]) {
      for (const method of ['session/load', 'session/resume']) {
        expect(await client.error(method, { sessionId, cwd: world.cwd, mcpServers: [] })).toMatchObject({
          code: notFound[profile],
          message: expect.stringContaining('unknown sessionId'),
          data: { sessionId, reason: 'session_not_found' },
        })
      }
    }
  })

  it('acp 62: the next prompt continues the conversation', async () => {
    const world = open()
    world.model.push([says('Ann, of course'), finishes()])
    const sessionId = await storeSession(world, ['my name is Ann'])
    const { client, say } = await world.connect()
    await client.result('session/load', { sessionId, cwd: world.cwd, mcpServers: [] })
    expect(await say(sessionId, 'who am I?')).toMatchObject({ result: { stopReason: 'end_turn' } })
    expect(world.model.requests.at(-1)?.messages).toMatchObject([
      { role: 'user', content: 'my name is Ann' },
      { role: 'assistant' },
      { role: 'user', content: 'who am I?' },
    ])
  })

  it('acp 63: session/resume continues too, without a replay', async () => {
    const world = open()
    const sessionId = await storeSession(world, ['my name is Ann'])
    const { client, say } = await world.connect()
    expect(await client.result('session/resume', { sessionId, cwd: world.cwd })).toHaveProperty('configOptions')
    await client.untilUpdate(({ sessionUpdate }) => sessionUpdate === 'available_commands_update')
    expect(client.kinds().filter(isHistory)).toEqual([])
    await say(sessionId, 'who am I?')
    expect(world.model.requests.at(-1)?.messages).toHaveLength(3)
    expect(client.kinds().filter(isHistory)).toEqual(['agent_message_chunk'])
  })

  it('an open session can be loaded again at rest, but not while a turn of this client runs', async () => {
    const world = open()
    const { client, newSession, say } = await world.connect()
    const sessionId = await newSession()
    const params = { sessionId, cwd: world.cwd, mcpServers: [] }
    await say(sessionId, 'one')
    await client.result('session/load', params)
    expect(client.text('user_message_chunk')).toBe('one')
    world.model.push([says('on it'), () => hangs()])
    const running = say(sessionId, 'two')
    await client.untilUpdate(({ content }) => content?.text === 'on it')
    expect(await client.error('session/load', params)).toMatchObject({ code: -32600 })
    client.notify('session/cancel', { sessionId })
    expect(await running).toMatchObject({ result: { stopReason: 'cancelled' } })
  })

  it('concurrent loads and closes of one session run one after another', async () => {
    const world = open()
    const sessionId = await storeSession(world)
    const { client, say } = await world.connect()
    const params = { sessionId, cwd: world.cwd, mcpServers: [] }
    await Promise.all(['load', 'resume', 'load', 'resume'].map((how) => client.result(`session/${how}`, params)))
    const before = client.updates().length
    world.model.push([says('once'), finishes()])
    await say(sessionId, 'go')
    expect(client.updates().slice(before)).toMatchObject([{ content: { text: 'once' } }])
    const answers = await Promise.all(['close', 'load', 'close'].map((how) => client.call(`session/${how}`, params)))
    expect(answers.map(({ error }) => error?.code)).toEqual([undefined, undefined, undefined])
  })

  it('a session cannot be loaded again while a prompt is being admitted', async () => {
    const connected = Promise.withResolvers<void>()
    const world = open({ sessionServers: { open: () => connected.promise, close: async () => undefined } })
    const { client, newSession, say } = await world.connect()
    const sessionId = await newSession()
    const answered = say(sessionId, 'go')
    expect(await client.error('session/load', { sessionId, cwd: world.cwd, mcpServers: [] })).toMatchObject({
      code: -32600,
    })
    connected.resolve()
    expect(await answered).toMatchObject({ result: { stopReason: 'end_turn' } })
  })

  it('a session with a turn of another client is replayed up to now, then continues live', async () => {
    const world = open()
    const more = Promise.withResolvers<void>()
    world.model.push([says('so '), says('far'), () => more.promise, says(' and on'), finishes()])
    const first = await world.connect()
    const sessionId = await first.newSession()
    const answered = first.say(sessionId, 'go')
    await first.client.untilUpdate(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk')
    const { client } = await world.connect()
    await client.result('session/load', { sessionId, cwd: world.cwd, mcpServers: [] })
    await client.untilUpdate(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk')
    expect(
      client.frames.slice(1).map(({ params, result }) => params?.update.sessionUpdate ?? (result && 'answer')),
    ).toEqual(['user_message_chunk', 'answer', 'available_commands_update', 'agent_message_chunk'])
    more.resolve()
    await answered
    await client.untilUpdate((update) => update.content?.text.includes('and on'))
    expect(client.text()).toBe('so far and on')
  })
})
