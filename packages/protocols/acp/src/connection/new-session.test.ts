import { createFakeParts, finishes, loadAcpFrameChecker, says } from '@polylogue/testkit'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { GivenMcpServer } from '../deps.ts'
import { usingWorlds } from '../test-support/using-worlds.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const profiles = ['standard', 'seed'] as const

/** A world that remembers which MCP servers it was given. */
function openWithServers(fail?: (problem: (message: string) => void) => void) {
  const given: (readonly GivenMcpServer[])[] = []
  const closed: string[] = []
  const world = open({
    sessionServers: {
      open: async (_sessionId, servers, problem) => {
        given.push(servers)
        fail?.(problem)
      },
      close: async (sessionId) => void closed.push(sessionId),
    },
  })
  return { ...world, given, closed }
}

describe('session/new', () => {
  it.each([
    ['standard', ['model', 'mode']],
    ['seed', ['model']],
  ] as const)(
    'acp 33: in profile %s it answers with an id, four modes and the options %j',
    async (profile, options) => {
      const world = open()
      const { client } = await world.connect({ profile })
      const answer = await client.result('session/new', { cwd: world.cwd, mcpServers: [] })
      expect(answer.sessionId).toMatch(UUID)
      expect(answer.modes.currentModeId).toBe('workspace-write')
      expect(answer.modes.availableModes.map(({ id }: { id: string }) => id)).toEqual([
        'read-only',
        'workspace-write',
        'full-access',
        'plan',
      ])
      expect(answer.configOptions.map(({ id }: { id: string }) => id)).toEqual(options)
      expect(answer.configOptions[0]).toEqual({
        id: 'model',
        name: 'Model',
        category: 'model',
        type: 'select',
        currentValue: 'fake/model',
        options: [{ value: 'fake/model', name: 'The model' }],
      })
    },
  )

  it('acp 34: two sessions share neither id, directory, history nor mode', async () => {
    const world = open()
    const { client, newSession, say } = await world.connect()
    const other = join(world.cwd, 'other')
    mkdirSync(other)
    const one = await newSession()
    const two = await newSession({ cwd: other })
    expect(one).not.toBe(two)
    await client.result('session/set_mode', { sessionId: one, modeId: 'plan' })
    await say(one, 'first')
    await say(two, 'second')
    expect(world.model.requests[1]?.messages).toEqual([{ role: 'user', content: 'second' }])
    const views = await Promise.all([one, two].map((id) => world.engine.readSession(world.user, id as never)))
    expect(views).toMatchObject([
      { preset: 'plan', directories: [world.cwd] },
      { preset: 'workspace-write', directories: [other] },
    ])
  })

  it.each(profiles)('acp 35: a cwd that is not an absolute directory is refused in profile %s', async (profile) => {
    const world = open()
    const { client } = await world.connect({ profile })
    const file = join(world.cwd, 'file')
    writeFileSync(file, '')
    for (const cwd of ['relative', './x', '', join(world.cwd, 'missing'), file, 7, null, undefined, [world.cwd]]) {
      const error = await client.error('session/new', { cwd, mcpServers: [] })
      expect(error).toMatchObject({ code: -32602, data: { field: 'cwd' } })
    }
    expect((await world.engine.listSessions(world.user, { limit: 10 })).sessions).toEqual([])
  })

  it.each([undefined, null, {}, 'none', 3])('acp 36: servers that are %j are refused', async (mcpServers) => {
    const world = open()
    const { client } = await world.connect()
    expect(await client.error('session/new', { cwd: world.cwd, mcpServers })).toMatchObject({
      code: -32602,
      data: { field: 'mcpServers' },
    })
  })

  it.each([
    ['acp 37: without a name', { command: 'x' }],
    ['acp 37: with an empty name', { name: '', command: 'x' }],
    ['acp 37: with a name that is no text', { name: 5, command: 'x' }],
    ['acp 37: that is no object', 'x'],
    ['acp 38: of a transport that nobody knows', { name: 'x', type: 'tcp', url: 'tcp://x' }],
    ['acp 39: without a command', { name: 'x' }],
    ['acp 39: with an empty command', { name: 'x', command: '' }],
    ['acp 39: with arguments that are no texts', { name: 'x', command: 'y', args: [1] }],
    ['acp 40: with its environment as a map', { name: 'x', command: 'y', env: { A: 'b' } }],
    ['acp 40: with a variable that is no text', { name: 'x', command: 'y', env: [{ name: 'A', value: 1 }] }],
    ['acp 41: without url', { name: 'x', type: 'sse' }],
    ['acp 41: with an empty url', { name: 'x', type: 'sse', url: '' }],
    [
      'acp 41: with a header that is no text',
      { name: 'x', type: 'sse', url: 'http://x', headers: [{ name: 'a', value: 1 }] },
    ],
  ])('%s a server is refused', async (_name, server) => {
    const world = openWithServers()
    const { client } = await world.connect()
    expect(await client.error('session/new', { cwd: world.cwd, mcpServers: [server] })).toMatchObject({ code: -32602 })
    expect(world.given).toEqual([])
  })

  it('acp 39: arguments and environment may be left out, or be null', async () => {
    const world = openWithServers()
    const { newSession } = await world.connect()
    await newSession({
      mcpServers: [
        { name: 'x', command: 'y' },
        { name: 'z', command: 'y', args: null, env: null, type: 'stdio' },
      ],
    })
    expect(world.given).toEqual([
      [
        { type: 'stdio', name: 'x', command: 'y', args: [], env: [] },
        { type: 'stdio', name: 'z', command: 'y', args: [], env: [] },
      ],
    ])
  })

  it('acp 40: environment and headers are lists of names and values, and the last value of a name wins', async () => {
    const world = openWithServers()
    const { newSession } = await world.connect()
    const env = [
      { name: 'A', value: '1' },
      { name: 'A', value: '2' },
    ]
    await newSession({
      mcpServers: [
        { name: 'x', command: 'first' },
        { name: 'x', command: 'y', args: ['-v'], env },
        { name: 's', type: 'sse', url: 'http://s', headers: env },
      ],
    })
    expect(world.given).toEqual([
      [
        { type: 'stdio', name: 'x', command: 'y', args: ['-v'], env: [{ name: 'A', value: '2' }] },
        { type: 'sse', name: 's', url: 'http://s', headers: [{ name: 'A', value: '2' }] },
      ],
    ])
  })

  it('acp 42: an HTTP server is accepted in profile standard and refused in profile seed', async () => {
    const world = openWithServers()
    const mcpServers = [{ name: 'h', type: 'http', url: 'http://h', headers: [] }]
    await (await world.connect()).newSession({ mcpServers })
    expect(world.given).toEqual([[{ type: 'http', name: 'h', url: 'http://h', headers: [] }]])
    const seed = await world.connect({ profile: 'seed' })
    expect(await seed.client.error('session/new', { cwd: world.cwd, mcpServers })).toMatchObject({
      code: -32602,
      message: expect.stringContaining('transport not supported'),
    })
  })

  it('a client that may not start programs cannot add stdio servers', async () => {
    const world = openWithServers()
    const { client } = await world.connect({ rights: { stdioMcpServers: false, editorOffers: false } })
    const mcpServers = [{ name: 'x', command: 'y' }]
    expect(await client.error('session/new', { cwd: world.cwd, mcpServers })).toMatchObject({ code: -32602 })
  })

  it('a client with configured directories works only in those, even through a link', async () => {
    const world = open()
    const inside = join(world.cwd, 'inside')
    const outside = join(world.cwd, 'outside')
    const link = join(inside, 'link')
    for (const path of [inside, outside]) mkdirSync(path)
    const back = join(outside, 'back')
    symlinkSync(outside, link)
    symlinkSync(inside, back)
    const { client, newSession } = await world.connect({
      rights: { stdioMcpServers: false, editorOffers: false, directories: [inside] },
    })
    const sessionId = await newSession({ cwd: back })
    const [view] = (await world.engine.listSessions(world.user, { limit: 1 })).sessions
    expect(view).toMatchObject({ sessionId, directories: [inside] })
    for (const cwd of [outside, link, join(inside, '..'), world.cwd]) {
      expect(await client.error('session/new', { cwd, mcpServers: [] })).toMatchObject({ code: -32602 })
    }
  })

  it('S20: a client with configured directories cannot list other directories', async () => {
    const world = open()
    const inside = join(world.cwd, 'inside')
    const file = join(world.cwd, 'file')
    mkdirSync(inside)
    writeFileSync(file, '')
    for (const [name, target] of Object.entries({ here: file, gone: join(world.cwd, 'gone') })) {
      symlinkSync(target, join(inside, name))
    }
    const { client } = await world.connect({
      rights: { stdioMcpServers: false, editorOffers: false, directories: [inside] },
    })
    const beside = [world.cwd, file, join(file, 'below'), join(world.cwd, 'gone'), join(inside, '..', 'gone')]
    const linked = [join(inside, 'here'), join(inside, 'gone'), join(inside, 'none', '..', '..', 'file')]
    const told = await Promise.all(
      [...beside, ...linked].map((cwd) => client.error('session/new', { cwd, mcpServers: [] })),
    )
    expect(new Set(told.map((error) => JSON.stringify(error))).size).toBe(1)
    expect(told[0]).toMatchObject({ code: -32602, data: { field: 'cwd' } })
    expect(JSON.stringify(told[0])).toContain('is not one of your directories')
  })

  it('acp 43: a server that cannot be reached causes a notice, and the session opens', async () => {
    const world = openWithServers((problem) => problem('The MCP server x cannot be started'))
    const { client, newSession, say } = await world.connect({ capabilities: { session: { notices: {} } } })
    const sessionId = await newSession({ mcpServers: [{ name: 'x', command: '/nowhere' }] })
    const { params } = await client.untilUpdate(({ sessionUpdate }) => sessionUpdate === 'notice')
    expect(params.update).toEqual({
      sessionUpdate: 'notice',
      severity: 'warning',
      title: 'The MCP server x cannot be started',
    })
    expect(await say(sessionId, 'hello')).toMatchObject({ result: { stopReason: 'end_turn' } })
  })

  it.each([
    ['standard', 'The MCP server x cannot be started'],
    ['seed', ''],
  ] as const)(
    'acp 43: a client that shows no notices reads of it with its first prompt, in profile %s',
    async (profile, told) => {
      const world = openWithServers((problem) => problem('The MCP server x cannot be started'))
      const { client, newSession, say } = await world.connect({ profile })
      const sessionId = await newSession({ mcpServers: [{ name: 'x', command: '/nowhere' }] })
      expect(client.text('agent_thought_chunk')).toBe('')
      await say(sessionId, 'hello')
      await say(sessionId, 'again')
      expect(client.text('agent_thought_chunk')).toBe(told)
    },
  )

  it('acp 43: the session opens even if no server can be opened', async () => {
    const world = open({
      sessionServers: { open: () => Promise.reject(new Error('no')), close: async () => undefined },
    })
    const { newSession, say } = await world.connect()
    const sessionId = await newSession({ mcpServers: [{ name: 'x', command: '/nowhere' }] })
    expect(await say(sessionId, 'hello')).toMatchObject({ result: { stopReason: 'end_turn' } })
  })

  it('the first prompt waits for the servers of its session, unless it is cancelled', async () => {
    const connected = Promise.withResolvers<void>()
    const world = open({ sessionServers: { open: () => connected.promise, close: async () => undefined } })
    const { client, newSession, say } = await world.connect()
    const sessionId = await newSession()
    const cancelled = say(sessionId, 'one')
    await client.result('session/cancel', { sessionId })
    expect(await cancelled).toMatchObject({ result: { stopReason: 'cancelled' } })
    const answered = say(sessionId, 'two')
    await client.result('session/list', {})
    expect(world.model.requests).toEqual([])
    connected.resolve()
    expect(await answered).toMatchObject({ result: { stopReason: 'end_turn' } })
  })

  it.each(profiles)('acp 44: unknown fields are ignored in profile %s', async (profile) => {
    const world = open()
    const { newSession } = await world.connect({ profile })
    expect(await newSession({ _meta: { a: 1 }, more: true, additionalDirectories: [] })).toMatch(UUID)
  })

  it('additional directories are neither advertised nor accepted in profile seed', async () => {
    const world = open()
    const { client } = await world.connect({ profile: 'seed' })
    const params = { cwd: world.cwd, mcpServers: [], additionalDirectories: [world.cwd] }
    expect(await client.error('session/new', params)).toMatchObject({ code: -32602 })
  })

  it('acp 45, 46: no update precedes the answer, and the commands follow it', async () => {
    const world = open()
    const { client } = await world.connect()
    const sessionId = await client
      .result('session/new', { cwd: world.cwd, mcpServers: [] })
      .then((answer) => answer.sessionId)
    await client.untilUpdate(({ sessionUpdate }) => sessionUpdate === 'available_commands_update')
    const about = client.frames.map(({ result, params }) => result?.sessionId ?? params?.sessionId)
    expect(about).toEqual([undefined, sessionId, sessionId])
    expect(client.updates()).toEqual([
      {
        sessionUpdate: 'available_commands_update',
        availableCommands: ['compact', 'mode', 'model', 'usage', 'help'].map((name) =>
          expect.objectContaining({ name, description: expect.stringMatching(/\w/) }),
        ),
      },
    ])
  })

  it('a session that cannot be opened is not created', async () => {
    const world = open({
      around: (engine) => ({ ...engine, attach: () => Promise.reject(new Error('broken /secret')) }),
    })
    const { client } = await world.connect()
    const error = await client.error('session/new', { cwd: world.cwd, mcpServers: [] })
    expect(error).toEqual({ code: -32603, message: 'internal error', data: { reason: 'internal' } })
    expect((await world.engine.listSessions(world.user, { limit: 10 })).sessions).toEqual([])
  })

  it('a session that is still opening is closed when the client leaves', async () => {
    const world = openWithServers()
    const { client, connection } = await world.connect()
    client.send({ jsonrpc: '2.0', id: 'n', method: 'session/new', params: { cwd: world.cwd, mcpServers: [] } })
    await client.leave()
    await connection.closed
    expect(world.closed).toHaveLength(1)
  })

  it('an agent that does not exist is a server error', async () => {
    const world = open()
    world.model.push([says('never'), finishes()])
    const { client } = await world.connect({ agent: 'nobody' })
    expect(await client.error('session/new', { cwd: world.cwd, mcpServers: [] })).toMatchObject({ code: -32603 })
  })
})
