import { createFakeParts, loadAcpFrameChecker } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { usingWorlds } from '../test-support/using-worlds.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))

const profiles = ['standard', 'seed'] as const
const raw = async (profile: (typeof profiles)[number] = 'standard') => open().connect({ capabilities: null, profile })

describe.each(profiles)('before the handshake, in profile %s,', (profile) => {
  it('acp 16: session/new is refused as not initialized', async () => {
    const { client } = await raw(profile)
    expect(await client.error('session/new', { cwd: '/', mcpServers: [] })).toMatchObject({
      code: -32002,
      data: { reason: 'not_initialized' },
    })
  })

  it.each([
    'session/prompt',
    'session/load',
    'session/resume',
    'session/list',
    'session/close',
    'session/delete',
    'session/set_mode',
    'session/set_config_option',
    '_agentao.cn/set_model',
    'session/cancel',
  ])('acp 17: so is %s', async (method) => {
    const { client } = await raw(profile)
    for (const params of [{ sessionId: 'x' }, undefined, 'text']) {
      expect(await client.error(method, params)).toMatchObject({ code: -32002, data: { reason: 'not_initialized' } })
    }
  })

  it('acp 18: a failed handshake does not count', async () => {
    const { client } = await raw(profile)
    await client.error('initialize', { protocolVersion: 'one', clientCapabilities: {} })
    expect(await client.error('session/list', {})).toMatchObject({ code: -32002 })
  })
})

describe('the handshake', () => {
  it('acp 19: a version that is a boolean is refused', async () => {
    const { client } = await raw()
    expect(await client.error('initialize', { protocolVersion: true, clientCapabilities: {} })).toMatchObject({
      code: -32602,
    })
  })

  it.each(['1', 1.5, null, undefined, [], {}])('acp 20: so is %j', async (protocolVersion) => {
    const { client } = await raw()
    expect(await client.error('initialize', { protocolVersion, clientCapabilities: {} })).toMatchObject({
      code: -32602,
    })
  })

  it('acp 21: version 1 is answered with 1', async () => {
    const { client } = await raw()
    expect(await client.result('initialize', { protocolVersion: 1, clientCapabilities: {} })).toMatchObject({
      protocolVersion: 1,
    })
  })

  it.each([0, 2, 99, -3])('acp 22: version %i is answered with 1 and is not an error', async (protocolVersion) => {
    const { client } = await raw()
    expect(await client.result('initialize', { protocolVersion, clientCapabilities: {} })).toMatchObject({
      protocolVersion: 1,
    })
  })

  it.each(
    profiles.flatMap(
      (profile) =>
        [
          [[], profile],
          ['x', profile],
          [null, profile],
          [3, profile],
        ] as const,
    ),
  )('acp 23: capabilities that are %j are refused in profile %s', async (clientCapabilities, profile) => {
    const { client } = await raw(profile)
    expect(await client.error('initialize', { protocolVersion: 1, clientCapabilities })).toMatchObject({ code: -32602 })
  })

  it('acp 24: without capabilities it succeeds; in profile seed they are required', async () => {
    expect(await (await raw()).client.call('initialize', { protocolVersion: 1 })).toHaveProperty('result')
    expect(await (await raw('seed')).client.error('initialize', { protocolVersion: 1 })).toMatchObject({ code: -32602 })
  })

  it('acp 25: client info may be missing but must not be malformed', async () => {
    const { client } = await raw()
    const hello = { protocolVersion: 1, clientCapabilities: {} }
    expect(await client.error('initialize', { ...hello, clientInfo: 'x' })).toMatchObject({ code: -32602 })
    expect(await client.result('initialize', hello)).toHaveProperty('agentInfo')
    const clientInfo = { name: 'zed', version: '1', title: 'Zed', extra: 1 }
    expect(await client.result('initialize', { ...hello, clientInfo, _meta: {}, more: 2 })).toHaveProperty('agentInfo')
  })

  it('acp 26: the answer reports session loading, no authentication, and the agent info', async () => {
    const { client } = await raw()
    expect(await client.result('initialize', { protocolVersion: 1, clientCapabilities: {} })).toMatchObject({
      agentCapabilities: { loadSession: true },
      authMethods: [],
      agentInfo: { name: 'polylogue', title: 'Polylogue', version: '1.2.3' },
    })
  })

  it.each([
    ['seed', false],
    ['standard', true],
  ] as const)('acp 27: in profile %s images, embedded context and HTTP are %s', async (profile, has) => {
    const { client } = await raw(profile)
    const { agentCapabilities } = await client.result('initialize', { protocolVersion: 1, clientCapabilities: {} })
    expect(agentCapabilities).toMatchObject({
      promptCapabilities: { image: has, audio: false, embeddedContext: has },
      mcpCapabilities: { sse: true, http: has },
    })
  })

  it('acp 28: extensions are listed in _meta, and nowhere else', async () => {
    const { client } = await raw()
    const answer = await client.result('initialize', { protocolVersion: 1, clientCapabilities: {} })
    expect(answer._meta['_agentao.cn/extensions']).toEqual([
      { method: '_agentao.cn/ask_user', description: expect.stringMatching(/\w/) },
      { method: '_agentao.cn/set_model', description: expect.stringMatching(/\w/) },
    ])
    expect(answer).not.toHaveProperty('extensions')
  })

  it('acp 29: every advertised method exists', async () => {
    const { client } = await raw()
    const { agentCapabilities } = await client.result('initialize', { protocolVersion: 1, clientCapabilities: {} })
    const names = Object.keys(agentCapabilities.sessionCapabilities)
    expect(names).toEqual(['list', 'resume', 'close', 'delete', 'additionalDirectories', 'fork', 'title'])
    for (const name of ['list', 'resume', 'close', 'delete', 'fork', 'set_title', 'load']) {
      const { error } = await client.call(`session/${name}`, { sessionId: 'x' })
      expect(error?.code).not.toBe(-32601)
    }
  })

  it('acp 30: it may be repeated, and open sessions continue', async () => {
    const { client, newSession, say } = await open().connect()
    const sessionId = await newSession()
    await client.result('initialize', { protocolVersion: 1, clientCapabilities: { session: { notices: {} } } })
    expect(await say(sessionId, 'hello')).toMatchObject({ result: { stopReason: 'end_turn' } })
  })

  it('acp 32: there is no login and no logout', async () => {
    const { client } = await open().connect()
    for (const params of [{ methodId: 'any' }, {}]) {
      expect(await client.error('authenticate', params)).toMatchObject({ code: -32602 })
    }
    expect(await client.error('logout', {})).toMatchObject({ code: -32601 })
  })
})
