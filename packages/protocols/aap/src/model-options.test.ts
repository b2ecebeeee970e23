import { createFakeParts } from '@polylogue/testkit'
import { asUserId } from '@polylogue/engine'
import { expect, it } from 'vitest'
import { user, usingDoor } from './test-support/using-door.ts'

const rig = usingDoor(() => {
  const parts = createFakeParts()
  return { ...parts, models: { find: (modelName: string) => ({ model: parts.model, modelName }), list: () => [] } }
})
const MODELS = [
  { name: 'lab/plain', title: 'Plain' },
  { name: 'lab/deep', title: 'Deep', thinkingLevels: ['low', 'high'] },
]
const listed = async (version = 'v3') =>
  (await (await rig.door.send('GET', `/${version}/meta`)).json()).agents[0].options
const shown = async (session: string) => (await (await rig.door.send('GET', session)).json()).agent.options
const settingsOf = async (session: string) => {
  const { model, thinking } = await rig.door.engine.readSession(
    asUserId('ann'),
    session.slice('/v3/sessions/'.length) as never,
  )
  return { model, thinking }
}

it.each(['v3', 'v1'])('aap 39a: %s lists the model and its thinking as options of the agent', async (version) => {
  await rig.open({ models: MODELS })
  expect(await listed(version)).toEqual([
    expect.objectContaining({
      ...{ type: 'select', name: 'model', default: 'fake/model' },
      options: ['fake/model', 'lab/plain', 'lab/deep'],
    }),
    expect.objectContaining({
      ...{ type: 'select', name: 'thinking', default: 'default' },
      options: ['default', 'low', 'high'],
    }),
  ])
})

it('aap 39a: an agent has no such options where there is nothing to choose', async () => {
  const session = await rig.open({}, { agent: { name: 'tester', options: { model: 'lab/deep' } } })
  expect([await listed(), await shown(session)]).toEqual([undefined, undefined])
})

it('aap 39a: an option of the agent itself keeps its meaning', async () => {
  const own = { type: 'text', name: 'model', default: '' } as const
  const agent = { name: 'tester', options: { model: 'mine', thinking: 'low' } }
  const session = await rig.open({ models: MODELS, options: [own] }, { agent })
  expect(await listed()).toEqual([own, expect.objectContaining({ name: 'thinking' })])
  expect(await shown(session)).toEqual({ model: 'mine', thinking: 'low' })
  expect(await settingsOf(session)).toEqual({ thinking: 'low' })
})

it('aap 39a: the options set the model of the session, and are shown while they are set', async () => {
  const chosen = { model: 'lab/deep', thinking: 'high' }
  const session = await rig.open({ models: MODELS }, { agent: { name: 'tester', options: chosen } })
  expect([await shown(session), await settingsOf(session)]).toEqual([chosen, chosen])
  await rig.turn(session, { agent: { options: { thinking: 'default' } }, messages: user('hi') })
  expect([await shown(session), await settingsOf(session)]).toEqual([{ model: 'lab/deep' }, { model: 'lab/deep' }])
  await rig.turn(session, { agent: { options: { model: 'fake/model' } }, messages: user('hi') })
  expect(await settingsOf(session)).toEqual({ model: 'fake/model' })
})

it.each([{ model: 'lab/other' }, { model: '' }, { thinking: 'max' }])('aap 28: %j is refused', async (options) => {
  const session = await rig.open({ models: MODELS })
  const body = { agent: { name: 'tester', options }, messages: user('hi') }
  const refused = /^400 agent\.options\.\w+: must be one of/
  expect(await rig.refusal('POST', '/v3/sessions', { body })).toMatch(refused)
  expect(await rig.refusal('POST', `${session}/turns`, { body })).toMatch(refused)
  expect(await settingsOf(session)).toEqual({})
})
