import { calls, createFakeParts, createFakeTool, finishes, hangs, loadAcpFrameChecker, says } from '@polylogue/testkit'
import type { SessionId } from '@polylogue/engine'
import { mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { usingWorlds } from '../test-support/using-worlds.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))
type World = ReturnType<typeof open>

const notFound = { standard: -32002, seed: -32602 } as const
const profiles = ['standard', 'seed'] as const
const isHistory = (kind: string): boolean => /_chunk$|^tool_call|^plan$/.test(kind)

/** A session in which something was said, by a client that has left. */
async function storeSession(world: World, texts: readonly string[] = ['hello'], cwd = world.cwd): Promise<SessionId> {
  const { client, newSession, say } = await world.connect()
  const sessionId = await newSession({ cwd })
  for (const text of texts) {
    await say(sessionId, text)
    world.clock.advance(1_000)
  }
  await client.leave()
  return sessionId as SessionId
}

describe('session/load', () => {
  it('acp 54: tells the whole past before its answer, and nothing of it afterwards', async () => {
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

  it('acp 55: leaves out what was said beside the user, and system messages', async () => {
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

  it('acp 56: so do those of a history that was given', async () => {
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

  it('acp 57: a plan is told as a plan', async () => {
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

  it.each(profiles)('acp 59: an unknown id is told as one in profile %s', async (profile) => {
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

  it('acp 60: another directory is refused, and nothing is told', async () => {
    const world = open()
    const other = join(world.cwd, 'other')
    const link = join(world.cwd, 'link')
    mkdirSync(other)
    symlinkSync(world.cwd, link)
    const sessionId = await storeSession(world)
    const { client } = await world.connect()
    for (const method of ['session/load', 'session/resume']) {
      expect(await client.error(method, { sessionId, cwd: other, mcpServers: [] })).toMatchObject({ code: -32602 })
    }
    expect(client.updates()).toEqual([])
    expect(await client.result('session/load', { sessionId, cwd: link, mcpServers: [] })).toHaveProperty('modes')
  })

  it('acp 60: a session whose directory was recorded under a link continues as a fork in the place that it names', async () => {
    const world = open()
    const [real, link, other] = ['project', 'link', 'other'].map((name) => join(realpathSync(world.cwd), name)) as [
      string,
      string,
      string,
    ]
    mkdirSync(real)
    mkdirSync(other)
    symlinkSync(real, link)
    const { sessionId } = await world.engine.execute({
      type: 'create-session',
      userId: world.user,
      agent: 'tester',
      access: { type: 'preset' },
      directories: [link],
      input: 'hello',
    })
    const status = async () => (await world.engine.readSession(world.user, sessionId)).status
    while ((await status()) !== 'idle') await new Promise((resolve) => setImmediate(resolve))
    const { client } = await world.connect()
    const at = (cwd: string) => ({ sessionId, cwd, mcpServers: [] })
    for (const cwd of [link, real]) {
      expect(await client.error('session/load', at(cwd))).toMatchObject({
        code: -32602,
        message: expect.stringContaining(`fork the session to work in ${real}`),
      })
    }
    // The link can lead anywhere by now, so only the real path counts.
    for (const cwd of [link, other]) expect(await client.error('session/fork', at(cwd))).toMatchObject({ code: -32602 })
    const fork = await client.result('session/fork', at(real))
    expect((await world.engine.readSession(world.user, fork.sessionId)).directories).toEqual([real])
  })

  it('acp 60a: mode and model come back with the session, and hold', async () => {
    const tool = createFakeTool('write', { effect: 'unsafe' })
    const world = open({ tools: [tool] })
    const first = await world.connect()
    const sessionId = await first.newSession()
    await first.client.result('session/set_mode', { sessionId, modeId: 'plan' })
    await first.client.result('session/set_config_option', { sessionId, configId: 'model', value: 'openai/x' })
    await first.client.leave()
    world.model.push([calls('c1', 'write'), finishes('tool-calls')])
    const { client, say } = await world.connect()
    const answer = await client.result('session/load', { sessionId, cwd: world.cwd, mcpServers: [] })
    expect(answer).toMatchObject({
      modes: { currentModeId: 'plan' },
      configOptions: [
        { id: 'model', currentValue: 'openai/x' },
        { id: 'mode', currentValue: 'plan' },
      ],
    })
    await say(sessionId, 'write')
    expect(client.requests).toEqual([])
    expect(tool.invocations).toEqual([])
    expect(await world.recorded(sessionId)).toContainEqual(
      expect.objectContaining({ type: 'step.started', model: 'openai/x' }),
    )
  })

  it('acp 60a: so does a mode of the client’s own, until the preset changes at another door', async () => {
    const world = open()
    const first = await world.connect()
    const sessionId = await first.newSession()
    await first.client.result('session/set_mode', { sessionId, modeId: 'code' })
    await first.client.leave()
    const params = { sessionId, cwd: world.cwd, mcpServers: [] }
    const { client } = await world.connect()
    expect(await client.result('session/resume', params)).toMatchObject({ modes: { currentModeId: 'code' } })
    const changes = { planning: true }
    await world.engine.execute({
      type: 'configure-session',
      userId: world.user,
      sessionId: sessionId as SessionId,
      changes,
    })
    expect(
      (await client.untilUpdate(({ sessionUpdate }) => sessionUpdate === 'current_mode_update')).params.update,
    ).toEqual({
      sessionUpdate: 'current_mode_update',
      currentModeId: 'plan',
    })
    expect(await client.result('session/load', params)).toMatchObject({ modes: { currentModeId: 'plan' } })
  })

  it('a model that cannot be had any more is replaced by the default, with a notice', async () => {
    const providers = ['fake', 'openai']
    const world = open({ providers })
    const first = await world.connect()
    const sessionId = await first.newSession()
    await first.client.result('session/set_config_option', { sessionId, configId: 'model', value: 'openai/x' })
    providers.pop()
    const { client } = await world.connect({ capabilities: { session: { notices: {} } } })
    const answer = await client.result('session/load', { sessionId, cwd: world.cwd, mcpServers: [] })
    expect(answer.configOptions[0].currentValue).toBe('fake/model')
    expect(await client.untilUpdate(({ sessionUpdate }) => sessionUpdate === 'notice')).toBeDefined()
  })

  it('acp 61: other servers than before are taken, and flagged', async () => {
    const world = open()
    const [a, b] = [
      { name: 'a', command: 'x', args: [] },
      { command: 'y', name: 'b' },
    ]
    const first = await world.connect()
    const sessionId = await first.newSession({ mcpServers: [a, b] })
    const { client } = await world.connect()
    const load = async (mcpServers: unknown[]): Promise<unknown> =>
      (await client.result('session/load', { sessionId, cwd: world.cwd, mcpServers }))._meta
    const changed = { '_agentao.cn/mcpFingerprintChanged': true }
    expect(
      await load([
        { command: 'x', name: 'a' },
        { name: 'b', command: 'y', env: null },
      ]),
    ).toBeUndefined()
    expect(await load([b, a])).toEqual(changed)
    expect(await load([b, a])).toBeUndefined()
    expect(await load([b])).toEqual(changed)
    expect(await load([b, { ...a, env: [{ name: 'KEY', value: 'sk-secret' }] }])).toEqual(changed)
    expect(JSON.stringify(await world.recorded(sessionId))).not.toContain('sk-secret')
  })

  it('acp 62: after it a prompt goes on with the conversation', async () => {
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

  it('acp 63: session/resume goes on too, and tells nothing of the past', async () => {
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

  it('an open session that is at rest may be loaded again; while a turn of ours runs it may not', async () => {
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

  it('loads and closes of one session that come at once follow one another', async () => {
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

  it('a prompt that is just being admitted keeps its session from being loaded again', async () => {
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

  it('a session in which another’s turn runs is told up to now, then goes on', async () => {
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

describe('stored sessions', () => {
  it('session/list finds a directory however it is written, and after it is gone', async () => {
    const world = open()
    const dir = join(world.cwd, 'project')
    mkdirSync(dir)
    symlinkSync(dir, join(world.cwd, 'link'))
    const sessionId = await storeSession(world, ['hello'], join(world.cwd, 'link/'))
    const { client } = await world.connect()
    const found = async (cwd: string) => (await client.result('session/list', { cwd })).sessions.length
    const spellings = ['project', 'project/', 'link', 'link/', 'project/../project', './link//']
    for (const spelling of spellings) expect([spelling, await found(`${world.cwd}/${spelling}`)]).toEqual([spelling, 1])
    rmSync(dir, { recursive: true })
    const { cwd } = (await client.result('session/list', {})).sessions[0]
    expect([await found(cwd), await found(`${cwd}/`)]).toEqual([1, 1])
    expect(sessionId).toBeDefined()
  })

  it('acp 64: are listed newest first, by directory, page by page', async () => {
    const world = open({ limits: { pageSize: 2 } })
    const other = join(world.cwd, 'other')
    mkdirSync(other)
    const one = await storeSession(world, ['one'])
    const two = await storeSession(world, ['two'], other)
    const three = await storeSession(world, ['three'])
    const { client, newSession, say } = await world.connect()
    await newSession()
    await client.result('session/resume', { sessionId: one, cwd: world.cwd })
    await say(one, 'again')
    const list = async (params: object) => client.result('session/list', params)
    const first = await list({})
    expect(first.sessions).toEqual([
      { sessionId: one, cwd: world.cwd, title: 'one', updatedAt: '2026-01-01T00:00:03.000Z' },
      { sessionId: three, cwd: world.cwd, title: 'three', updatedAt: '2026-01-01T00:00:02.000Z' },
    ])
    const second = await list({ cursor: first.nextCursor })
    expect(second).toEqual({ sessions: [expect.objectContaining({ sessionId: two, cwd: other })] })
    expect((await list({ cwd: other })).sessions).toMatchObject([{ sessionId: two }])
    expect(await list({ cwd: '/nowhere', cursor: null })).toEqual({ sessions: [] })
  })

  it.each(profiles)(
    'acp 65: a relative directory or a cursor of nobody’s is refused in profile %s',
    async (profile) => {
      const { client } = await open().connect({ profile })
      for (const params of [
        { cwd: 'relative' },
        { cwd: 7 },
        { cursor: 'bogus' },
        { cursor: 7 },
        { cursor: 'YWZ0ZXI6LTE' },
      ]) {
        expect(await client.error('session/list', params)).toMatchObject({ code: -32602 })
      }
    },
  )

  it('acp 66: session/close cancels what this connection began, then answers', async () => {
    const world = open()
    world.model.push([says('half'), () => hangs()])
    const { client, newSession, say } = await world.connect()
    const sessionId = await newSession()
    const answered = say(sessionId, 'go')
    await client.untilUpdate(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk')
    expect(await client.result('session/close', { sessionId })).toEqual({})
    expect(await answered).toMatchObject({ result: { stopReason: 'cancelled' } })
    expect(client.frames.findIndex(({ result }) => result?.stopReason)).toBeLessThan(client.frames.length - 1)
    expect(await client.error('session/prompt', { sessionId, prompt: [] })).toMatchObject({ code: -32002 })
    expect((await client.result('session/list', {})).sessions).toMatchObject([{ sessionId }])
  })

  it('acp 66: what another connection began goes on', async () => {
    const world = open()
    const more = Promise.withResolvers<void>()
    world.model.push([says('half'), () => more.promise, says(' and half'), finishes()])
    const first = await world.connect()
    const sessionId = await first.newSession()
    const answered = first.say(sessionId, 'go')
    const second = await world.connect()
    await second.client.result('session/load', { sessionId, cwd: world.cwd, mcpServers: [] })
    expect(await second.client.result('session/close', { sessionId })).toEqual({})
    more.resolve()
    expect(await answered).toMatchObject({ result: { stopReason: 'end_turn' } })
    expect(first.client.text()).toBe('half and half')
  })

  it('acp 66: what waits for its turn is dropped with it', async () => {
    const world = open()
    world.model.push([says('on it'), () => hangs()])
    const { client, newSession, say } = await world.connect()
    const sessionId = await newSession()
    const answers = ['one', 'two', 'three'].map((text) => say(sessionId, text))
    await client.untilUpdate(({ content }) => content?.text === 'on it')
    await client.result('session/close', { sessionId })
    const reasons = (await Promise.all(answers)).map(({ result }) => result.stopReason)
    expect(reasons).toEqual(['cancelled', 'cancelled', 'cancelled'])
    expect(world.model.requests).toHaveLength(1)
  })

  it.each(profiles)(
    'acp 67: closing what is unknown is an error, deleting it is not, in profile %s',
    async (profile) => {
      const { client, newSession } = await open().connect({ profile })
      const sessionId = await newSession()
      await client.result('session/close', { sessionId })
      for (const id of ['unknown', sessionId]) {
        expect(await client.error('session/close', { sessionId: id })).toMatchObject({ code: notFound[profile] })
      }
      expect(await client.result('session/delete', { sessionId: 'unknown' })).toEqual({})
    },
  )

  it('acp 68: a deleted session is gone, also while a turn runs in it', async () => {
    const world = open()
    const { client, newSession, say } = await world.connect()
    const one = await storeSession(world)
    const two = await newSession()
    world.model.push([says('half'), () => hangs()])
    const answered = say(two, 'go')
    await client.untilUpdate(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk')
    for (const sessionId of [one, two]) expect(await client.result('session/delete', { sessionId })).toEqual({})
    expect(await answered).toMatchObject({ result: { stopReason: 'cancelled' } })
    expect(await client.result('session/list', {})).toEqual({ sessions: [] })
  })

  it('a session that is deleted at another door ends its prompts here', async () => {
    const world = open()
    world.model.push([says('half'), () => hangs()])
    const { client, newSession, say } = await world.connect()
    const sessionId = (await newSession()) as SessionId
    const answered = say(sessionId, 'go')
    await client.untilUpdate(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk')
    await world.engine.execute({ type: 'delete-session', userId: world.user, sessionId })
    expect(await answered).toMatchObject({ result: { stopReason: 'cancelled' } })
    expect(await client.error('session/set_mode', { sessionId, modeId: 'plan' })).toMatchObject({ code: -32002 })
  })
})
