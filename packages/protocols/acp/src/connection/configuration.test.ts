import type { SessionId } from '@polylogue/engine'
import { calls, createFakeParts, createFakeTool, finishes, loadAcpFrameChecker } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import type { WorldOptions } from '../test-support/open-world.ts'
import { usingWorlds } from '../test-support/using-worlds.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))

const profiles = ['standard', 'seed'] as const
type Profile = (typeof profiles)[number]

async function openSession(profile: Profile = 'standard', options: WorldOptions = {}) {
  const world = open(options)
  const connected = await world.connect({ profile })
  const sessionId = (await connected.newSession()) as SessionId
  const { client } = connected
  const set = (value: unknown, more: object = {}) =>
    client.call('session/set_config_option', { sessionId, configId: 'model', value, ...more })
  const stored = async () => (await world.engine.readSession(world.user, sessionId)).model
  return { ...world, ...connected, sessionId, set, stored }
}

describe.each(profiles)('session/set_config_option, in profile %s,', (profile) => {
  it('acp 113: sets the model and answers with every option', async () => {
    const { set, stored, client } = await openSession(profile)
    const { result } = await set('openai/x')
    expect(result.configOptions.map(({ id }: { id: string }) => id)).toEqual(
      profile === 'seed' ? ['model'] : ['model', 'mode'],
    )
    expect(result.configOptions[0]).toMatchObject({ id: 'model', currentValue: 'openai/x' })
    expect(await stored()).toBe('openai/x')
    expect(client.kinds()).not.toContain('config_option_update')
  })

  it.each([
    ['acp 114', 'OpenAI / X ', 'openai/X'],
    ['acp 115', 'openai/b/c', 'openai/b/c'],
    ['acp 117', 'other', 'fake/other'],
    ['acp 117', '  other ', 'fake/other'],
  ])('%s: reads %j as %s', async (_line, value, name) => {
    const { set, stored } = await openSession(profile)
    expect((await set(value)).result.configOptions[0].currentValue).toBe(name)
    expect(await stored()).toBe(name)
  })

  it.each(['openai/', '/x', ' / ', '', '  ', 5, null, undefined, ['openai/x'], { a: 1 }])(
    'acp 116: refuses %j',
    async (value) => {
      const { set, stored } = await openSession(profile)
      expect(await set(value)).toMatchObject({ error: { code: -32602 } })
      expect(await stored()).toBeUndefined()
    },
  )

  it('acp 118: refuses a provider without a key, and changes nothing', async () => {
    const { set, stored, say, sessionId, recorded } = await openSession(profile)
    await set('openai/x')
    expect(await set('Nobody/y')).toMatchObject({
      error: { code: -32600, message: "cannot resolve provider 'nobody'" },
    })
    expect(await stored()).toBe('openai/x')
    await say(sessionId, 'go')
    expect(await recorded(sessionId)).toContainEqual(
      expect.objectContaining({ type: 'step.started', model: 'openai/x' }),
    )
  })

  it.each([{ apiKey: 'sk' }, { baseUrl: 'http://x' }, { _meta: { x: 1 } }, { more: 1 }, { _meta: 'x' }])(
    'acp 119: refuses extra parameters: %j',
    async (more) => {
      const { set, stored } = await openSession(profile)
      expect(await set('openai/x', more)).toMatchObject({
        error: { code: -32602, data: { field: Object.keys(more)[0] } },
      })
      expect(await stored()).toBeUndefined()
    },
  )

  it('acp 119: accepts trace context and the option type, but not in profile seed', async () => {
    const { set } = await openSession(profile)
    const key = profile === 'seed' ? 'error' : 'result'
    expect(
      await set('openai/x', { _meta: { traceparent: '00-a-b-01', tracestate: 'x', baggage: 'y' } }),
    ).toHaveProperty(key)
    expect(await set('openai/x', { type: 'select' })).toHaveProperty(key)
    expect(await set('openai/x', { type: 'boolean' })).toHaveProperty('error')
  })

  it('acp 120: knows no other option', async () => {
    const { set } = await openSession(profile)
    const unknown = ['thinking', 5, null, ...(profile === 'seed' ? ['mode'] : [])]
    for (const configId of unknown) {
      expect(await set('plan', { configId })).toMatchObject({ error: { code: -32600 } })
    }
  })

  it('acp 121: does not expose the message of a resolver', async () => {
    const { set, client, logged } = await openSession(profile, {
      providerResolver: { canResolve: () => Promise.reject(new TypeError('bad key sk-secret')) },
    })
    expect(await set('openai/x')).toMatchObject({
      error: { code: -32600, message: "cannot resolve provider 'openai'" },
    })
    expect(JSON.stringify(client.frames)).not.toContain('sk-secret')
    expect(JSON.stringify(logged)).not.toContain('sk-secret')
    expect(logged).toContainEqual(expect.objectContaining({ provider: 'openai', problem: 'TypeError' }))
  })

  it('acp 122: carries nothing over from the previous provider', async () => {
    const { set, stored } = await openSession(profile)
    await set('openai/x')
    await set('fake/y')
    expect(await stored()).toBe('fake/y')
    expect((await set('z')).result.configOptions[0].currentValue).toBe('fake/z')
  })

  it('acp 123: lists the current value among the options', async () => {
    const { set } = await openSession(profile)
    for (const value of ['openai/x', 'free text', 'fake/model']) {
      for (const { currentValue, options } of (await set(value)).result.configOptions) {
        expect(options.map((option: { value: string }) => option.value)).toContain(currentValue)
        expect(new Set(options.map((option: { value: string }) => option.value)).size).toBe(options.length)
      }
    }
  })

  it('acp 124: _agentao.cn/set_model sets a model of the current provider', async () => {
    const { client, sessionId, set, stored } = await openSession(profile)
    await set('openai/x')
    const setModel = (params: object) => client.call('_agentao.cn/set_model', { sessionId, ...params })
    expect(await setModel({ model: '  a/b ' })).toMatchObject({ result: { model: 'a/b' } })
    expect(await stored()).toBe('openai/a/b')
    await client.untilUpdate(({ configOptions }) => configOptions?.[0].currentValue === 'openai/a/b')
    for (const params of [
      {},
      { model: '' },
      { model: '  ' },
      { model: 5 },
      { model: 'x', apiKey: 'sk' },
      { model: 'x', _meta: {} },
    ]) {
      expect(await setModel(params)).toMatchObject({ error: { code: -32602 } })
    }
    expect(await stored()).toBe('openai/a/b')
  })

  it.each(['read-only', 'workspace-write', 'full-access', 'plan'])(
    'acp 125: session/set_mode sets %s',
    async (modeId) => {
      const { client, sessionId, engine, user } = await openSession(profile)
      expect(await client.result('session/set_mode', { sessionId, modeId })).toEqual({ modeId })
      await client.untilUpdate(({ currentModeId }) => currentModeId === modeId)
      expect(await engine.readSession(user, sessionId)).toMatchObject({ preset: modeId })
      const told = client.updates().flatMap((update) => {
        return update.sessionUpdate === 'config_option_update' ? [update.configOptions[1]] : []
      })
      expect(told).toMatchObject(profile === 'seed' ? [] : [{ id: 'mode', currentValue: modeId }])
      expect(client.kinds().filter((kind) => kind === 'current_mode_update')).toHaveLength(1)
    },
  )

  it.each(['code', 'PLAN', 'ask', 'Plan '])(
    'acp 126: session/set_mode keeps %j, which changes no rights',
    async (modeId) => {
      const { client, sessionId, engine, user } = await openSession(profile)
      expect(await client.result('session/set_mode', { sessionId, modeId })).toEqual({ modeId })
      await client.untilUpdate(({ currentModeId }) => currentModeId === modeId)
      expect(await engine.readSession(user, sessionId)).toMatchObject({ preset: 'workspace-write' })
      expect(client.kinds()).not.toContain('config_option_update')
    },
  )

  it.each([{ modeId: '' }, {}, { mode: 'plan' }, { modeId: 5 }, { modeId: null }])(
    'acp 126: refuses %j',
    async (params) => {
      const { client, sessionId } = await openSession(profile)
      expect(await client.error('session/set_mode', { sessionId, ...params })).toMatchObject({ code: -32602 })
    },
  )
})

describe('modes', () => {
  it('acp 125: are also a config option', async () => {
    const { set, client, sessionId } = await openSession()
    const { result } = await set('plan', { configId: 'mode' })
    expect(result.configOptions[1]).toMatchObject({ id: 'mode', currentValue: 'plan' })
    await client.untilUpdate(({ currentModeId }) => currentModeId === 'plan')
    expect(client.kinds()).not.toContain('config_option_update')
    for (const value of ['code', 'PLAN']) {
      expect(await set(value, { configId: 'mode' })).toMatchObject({ error: { code: -32602 } })
    }
    await client.result('session/set_mode', { sessionId, modeId: 'code' })
    expect((await set('openai/x')).result.configOptions[1].currentValue).toBe('plan')
  })

  it('acp 127: belong to one session', async () => {
    const write = createFakeTool('write', { effect: 'unsafe' })
    const { client, sessionId, newSession, say, model } = await openSession('standard', { tools: [write] })
    client.answer('session/request_permission', () => ({ outcome: { outcome: 'selected', optionId: 'allow' } }))
    const other = await newSession()
    await client.result('session/set_mode', { sessionId, modeId: 'read-only' })
    model.push([calls('c1', 'write'), finishes('tool-calls')])
    await say(other, 'go')
    expect(write.invocations).toHaveLength(1)
    model.push([calls('c2', 'write'), finishes('tool-calls')])
    await say(sessionId, 'go')
    expect(write.invocations).toHaveLength(1)
    expect(client.requests).toHaveLength(1)
  })

  it('apply at once, even to the running turn', async () => {
    const write = createFakeTool('write', { effect: 'unsafe' })
    const { client, sessionId, say, model } = await openSession('standard', { tools: [write] })
    const changed = Promise.withResolvers<void>()
    model.push([() => changed.promise, calls('c1', 'write'), finishes('tool-calls')])
    const answered = say(sessionId, 'go')
    await client.result('session/set_mode', { sessionId, modeId: 'full-access' })
    changed.resolve()
    await answered
    expect(write.invocations).toHaveLength(1)
    expect(client.requests).toEqual([])
  })

  it('that a client may not set are neither offered nor accepted', async () => {
    const world = open()
    const rights = { stdioMcpServers: true, editorOffers: false, presets: ['read-only', 'workspace-write'] as const }
    const { client } = await world.connect({ rights })
    const answer = await client.result('session/new', { cwd: world.cwd, mcpServers: [] })
    expect(answer.modes.availableModes.map(({ id }: { id: string }) => id)).toEqual(['read-only', 'workspace-write'])
    const { sessionId } = answer
    expect(await client.error('session/set_mode', { sessionId, modeId: 'full-access' })).toMatchObject({ code: -32602 })
  })

  it('and models that another door sets are reported', async () => {
    const { client, sessionId, engine, user } = await openSession()
    const changes = { preset: 'read-only', model: 'openai/y' } as const
    await engine.execute({ type: 'configure-session', userId: user, sessionId, changes })
    await client.untilUpdate(({ currentModeId }) => currentModeId === 'read-only')
    await client.untilUpdate(({ configOptions }) => configOptions?.[0].currentValue === 'openai/y')
  })
})

describe('deprecated method names', () => {
  it('still set and list models', async () => {
    const { client, sessionId, stored } = await openSession()
    expect(await client.result('session/set_model', { sessionId, modelId: 'x' })).toEqual({ model: 'x' })
    expect(await stored()).toBe('fake/x')
    expect(await client.error('session/set_model', { sessionId })).toMatchObject({ code: -32602 })
    expect(await client.error('session/set_model', { sessionId, model: 'x', maxTokens: 5 })).toMatchObject({
      code: -32602,
    })
    expect(await client.result('session/list_models', { sessionId })).toEqual({ models: ['fake/model'] })
  })
})
