import { describe, expect, it } from 'vitest'
import { createDecideContext, createFakeTool, foldEvents, given } from '@polylogue/testkit'
import {
  asSessionId,
  asToolCallId,
  asUserId,
  createSettings,
  type AgentOption,
  type ClientTool,
  type CreateSession,
  type ConversationMessage,
} from '../index.ts'
import { decideCreate } from './decide-create.ts'

const { call } = given
const tools = [createFakeTool('look'), createFakeTool('inner', { exposed: false })]
const options: AgentOption[] = [
  { name: 'apiKey', type: 'secret', default: '' },
  { name: 'language', type: 'text', default: 'English' },
  { name: 'model', type: 'select', choices: ['a', 'b'], default: 'a' },
]
const clientTool = (name: string): ClientTool => ({ name, description: '', parameters: {} })

function create(more: Partial<CreateSession> = {}) {
  const command: CreateSession = {
    type: 'create-session',
    userId: asUserId('ann'),
    agent: 'tester',
    access: { type: 'listed', tools: [] },
    ...more,
  }
  return decideCreate(asSessionId('s'), command, createDecideContext({ tools, options }))
}

const types = (more: Partial<CreateSession>) => create(more).events.map((event) => event.type)
const user = (content: string): ConversationMessage => ({ role: 'user', content })
const asks = (...ids: string[]): ConversationMessage => ({
  role: 'assistant',
  content: ids.map((id) => call(id, 'browse')),
})
const answers = (id: string): ConversationMessage => ({ role: 'tool', toolCallId: asToolCallId(id), content: 'x' })

describe('creating a session', () => {
  it('records who it belongs to and what it has, with the default preset', () => {
    expect(create({ access: { type: 'listed', tools: [{ name: 'look', trust: true }] } }).events).toEqual([
      {
        type: 'session.created',
        sessionId: 's',
        userId: 'ann',
        agent: 'tester',
        settings: createSettings({ access: { type: 'listed', tools: [{ name: 'look', trust: true }] } }),
      },
    ])
  })

  it('with an input starts its first turn in the same append', () => {
    const { events, turn } = create({ input: 'hi' })
    expect(events.map((event) => event.type)).toEqual(['session.created', 'input.admitted', 'turn.started'])
    expect(turn).toMatchObject({ turnId: 'turn_1', firstEvent: 2, queued: false })
  })

  it('keeps options that the agent declares, drops others, and takes secrets out of the log', () => {
    const { events, secrets } = create({ options: { apiKey: 'sk-1', language: 'German', nonsense: 'x' } })
    expect(events[0]).toMatchObject({
      settings: { options: { apiKey: '***', language: 'German' }, secretOptions: ['apiKey'] },
    })
    expect(secrets).toEqual({ apiKey: 'sk-1' })
    expect(JSON.stringify(events)).not.toContain('sk-1')
  })

  it('refuses a choice that is not offered', () => {
    expect(() => create({ options: { model: 'c' } })).toThrow(
      expect.objectContaining({ code: 'invalid-option', field: 'options.model' }),
    )
  })

  it.each([
    ['a tool the agent does not have', ['nobody']],
    ['a tool that is not exposed', ['inner']],
    ['a tool twice', ['look', 'look']],
  ])('refuses a list that names %s', (_what, names) => {
    const access = { type: 'listed', tools: names.map((name) => ({ name })) } as const
    expect(() => create({ access })).toThrow(expect.objectContaining({ code: 'unknown-tool' }))
  })

  it.each([['look'], ['mine', 'mine']])('refuses client tools whose names are taken: %s %s', (...names) => {
    const clientTools = names.filter((name) => name !== undefined).map(clientTool)
    const access = { type: 'listed', tools: [{ name: 'look' }] } as const
    expect(() => create({ access, clientTools })).toThrow(expect.objectContaining({ code: 'tool-name-clash' }))
  })

  it('takes client tools with names of tools that the session does not have', () => {
    const access = { type: 'listed', tools: [] } as const
    expect(create({ access, clientTools: [clientTool('look'), clientTool('inner')] }).events).toHaveLength(1)
  })
})

describe('a seeded history', () => {
  const clientTools = [clientTool('browse')]

  it('is one event, and its call ids are taken in the session', () => {
    const seed = [user('hi'), asks('a', 'b'), answers('b'), answers('a')]
    const { events, names } = create({ seed, clientTools })
    expect(events[1]).toEqual({ type: 'session.seeded', entryId: 'entry_1', messages: seed })
    expect(names).toEqual(['a', 'b'])
    expect(events.length).toBe(2)
  })

  it('whose last calls are open waits for its client', () => {
    expect(types({ seed: [user('hi'), asks('a', 'b'), answers('a')], clientTools })).toEqual([
      'session.created',
      'session.seeded',
      'turn.started',
      'turn.paused',
    ])
  })

  it('whose last calls are open waits for its client also when instructions come last', () => {
    const seed: ConversationMessage[] = [user('hi'), asks('a'), { role: 'system', text: 'Be kind.' }]
    const { events } = create({ seed, clientTools })
    expect(events.map((event) => event.type)).toEqual([
      'session.created',
      'session.seeded',
      'turn.started',
      'turn.paused',
    ])
    expect(foldEvents(events).turn?.step?.calls).toMatchObject([{ toolCallId: 'a', phase: 'awaiting-client' }])
  })

  it('with open calls and an input continues with the input', () => {
    expect(types({ seed: [user('hi'), asks('a')], clientTools, input: 'never mind' })).toEqual([
      'session.created',
      'session.seeded',
      'input.admitted',
      'turn.started',
    ])
  })

  it('may reuse a call id: the later call and its result get another one', () => {
    const seed = [asks('a'), answers('a'), user('again'), asks('a', 'b'), answers('a'), answers('b')]
    const { events, names } = create({ seed, clientTools })
    const renamed = [asks('a'), answers('a'), user('again'), asks('tc_1', 'b'), answers('tc_1'), answers('b')]
    expect(events[1]).toMatchObject({ messages: renamed })
    expect(names).toEqual(['a', 'tc_1', 'b'])
  })

  it('may have one call id twice in a message: results come in the order of the calls', () => {
    const { events } = create({ seed: [asks('a', 'a'), answers('a'), answers('a')], clientTools })
    expect(events[1]).toMatchObject({ messages: [asks('a', 'tc_1'), answers('a'), answers('tc_1')] })
  })

  it('gives a result to the newest call of its id, and leaves an older one open', () => {
    const { events } = create({ seed: [asks('a'), user('well?'), asks('a'), answers('a')], clientTools })
    expect(events[1]).toMatchObject({ messages: [asks('a'), user('well?'), asks('tc_1'), answers('tc_1')] })
  })

  it('may hold many calls of one id, in one message and in many, without taking long', () => {
    const again = [asks(...Array<string>(500).fill('a')), ...Array.from({ length: 500 }, () => answers('a'))]
    const once = Array.from({ length: 20_000 }, () => asks('a'))
    const results = Array.from({ length: 20_000 }, () => answers('a'))
    const startedAt = process.threadCpuUsage()
    const { names } = create({ seed: [...again, ...once, ...results], clientTools })
    expect(names).toHaveLength(20_500)
    expect(process.threadCpuUsage(startedAt).user / 1000).toBeLessThan(1_500)
  })

  it('may not leave a call of a server tool open, which a client could then have run with invented input', () => {
    const seed: ConversationMessage[] = [{ role: 'assistant', content: [call('x', 'look')] }]
    expect(() => create({ seed })).toThrow(expect.objectContaining({ code: 'invalid-seed' }))
  })

  it.each([
    ['a result without its call', [answers('a')]],
    ['a result before its call', [answers('a'), asks('a')]],
    ['more calls in one message than an answer may make', [asks(...Array.from({ length: 501 }, (_, id) => `c${id}`))]],
    ['two results for one call', [asks('a'), answers('a'), answers('a')]],
  ])('may not hold %s', (_what, seed) => {
    expect(() => create({ seed, clientTools })).toThrow(expect.objectContaining({ code: 'invalid-seed' }))
  })
})
