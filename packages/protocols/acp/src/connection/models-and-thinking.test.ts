import type { OfferedModel } from '@polylogue/engine'
import { createFakeParts, loadAcpFrameChecker } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { usingWorlds } from '../test-support/using-worlds.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))

const OFFERED: readonly OfferedModel[] = [
  { name: 'fake/model', title: 'The model' },
  { name: 'openai/a', title: 'A', group: 'OpenAI' },
  ...Array.from({ length: 30 }, (_, index) => ({ name: `other/${index}`, title: `O${index}`, group: 'Other' })),
  { name: 'openai/b', title: 'B', group: 'OpenAI' },
]
const LEVELS = ['none', 'low', 'high']

async function openSession(profile: 'standard' | 'seed' = 'standard') {
  const world = open({ offered: OFFERED, thinkingLevels: LEVELS })
  const connected = await world.connect({ profile })
  const { client } = connected
  const created = await client.result('session/new', { cwd: world.cwd, mcpServers: [] })
  const { sessionId } = created
  const set = (configId: string, value: string) =>
    client.call('session/set_config_option', { sessionId, configId, value })
  return { ...world, ...connected, created, sessionId, set }
}

describe('the models of a session', () => {
  it('acp finding 3: are all that the server offers, by provider', async () => {
    const { created } = await openSession()
    const [model] = created.configOptions
    expect(model).toMatchObject({ id: 'model', category: 'model', currentValue: 'fake/model' })
    expect(
      model.options.map(({ name, options }: { name: string; options: object[] }) => [name, options.length]),
    ).toEqual([
      ['Polylogue', 1],
      ['OpenAI', 2],
      ['Other', 30],
    ])
    expect(model.options[1]).toEqual({
      group: 'OpenAI',
      name: 'OpenAI',
      options: [
        { value: 'openai/a', name: 'A' },
        { value: 'openai/b', name: 'B' },
      ],
    })
  })

  it('that share a name in their group can be told apart', async () => {
    const offered = ['opus-4', 'opus-4-0'].map((id) => ({ name: `lab/${id}`, title: 'Opus 4', group: 'Lab' }))
    const world = open({ offered: [...OFFERED, ...offered, { name: 'x/o', title: 'Opus 4', group: 'X' }] })
    const { client } = await world.connect()
    const created = await client.result('session/new', { cwd: world.cwd, mcpServers: [] })
    const groups: readonly { readonly options: object[] }[] = created.configOptions[0].options
    expect(groups.slice(-2).map(({ options }) => options)).toEqual([
      [
        { value: 'lab/opus-4', name: 'Opus 4 (opus-4)' },
        { value: 'lab/opus-4-0', name: 'Opus 4 (opus-4-0)' },
      ],
      [{ value: 'x/o', name: 'Opus 4' }],
    ])
  })

  it('have no groups in profile seed', async () => {
    const { created } = await openSession('seed')
    expect(created.configOptions[0].options[1]).toEqual({ value: 'openai/a', name: 'A' })
  })

  it('are listed by /model, which shortens a long list per provider', async () => {
    const { client, say, sessionId } = await openSession()
    await say(sessionId, '/model')
    expect(client.text()).toMatch(/`fake\/model` \(now\)[^]*`other\/19`\n- … and 10 more of Other$/)
  })
})

describe('how much the model thinks', () => {
  const idsOf = (options: readonly { readonly id: string }[]) => options.map(({ id }) => id)

  it('acp finding 3: can be chosen if the model has levels, and is kept with the session', async () => {
    const { created, set, say, sessionId, engine, user, model } = await openSession()
    expect(idsOf(created.configOptions)).toEqual(['model', 'mode'])
    const { configOptions } = (await set('model', 'openai/a')).result
    expect(idsOf(configOptions)).toEqual(['model', 'thought_level', 'mode'])
    expect(configOptions[1]).toMatchObject({
      category: 'thought_level',
      currentValue: 'default',
      options: [{ value: 'default' }, { value: 'none' }, { value: 'low' }, { value: 'high', name: 'High' }],
    })
    expect((await set('thought_level', 'high')).result.configOptions[1].currentValue).toBe('high')
    expect(await engine.readSession(user, sessionId)).toMatchObject({ thinking: 'high' })
    await say(sessionId, 'hi')
    expect(model.requests.at(-1)?.thinking).toBe('high')
    expect((await set('thought_level', 'default')).result.configOptions[1].currentValue).toBe('default')
    expect((await engine.readSession(user, sessionId)).thinking).toBeUndefined()
  })

  it('cannot be set to a level that the model does not have', async () => {
    const { set } = await openSession()
    expect(await set('thought_level', 'high')).toMatchObject({ error: { code: -32600 } })
    await set('model', 'openai/a')
    expect(await set('thought_level', 'max')).toMatchObject({ error: { code: -32602 } })
  })

  it('is reported to the client when another client changes it', async () => {
    const { client, engine, user, sessionId, set } = await openSession()
    await set('model', 'openai/a')
    const changes = { thinking: 'low' }
    await engine.execute({ type: 'configure-session', userId: user, sessionId, changes })
    const told = await client.untilUpdate(({ sessionUpdate }) => sessionUpdate === 'config_option_update')
    expect(told.params.update.configOptions[1]).toMatchObject({ id: 'thought_level', currentValue: 'low' })
  })
})

it('models of servers of the user’s own are listed once they have answered, without delaying the session', async () => {
  const offered = [{ name: 'fake/model', title: 'The model' }]
  const { promise, resolve } = Promise.withResolvers<void>()
  const world = open({ offered, askServers: () => promise })
  const { client, newSession } = await world.connect()
  await newSession()
  offered.push({ name: 'openai/local', title: 'On this machine' })
  resolve()
  const update = await client.untilUpdate(({ sessionUpdate }) => sessionUpdate === 'config_option_update')
  expect(JSON.stringify(update)).toContain('openai/local')
})
