import { describe, expect, it } from 'vitest'
import {
  calls,
  createFakeModel,
  createFakeTool,
  createQuestionTool,
  finishes,
  says,
  settledCalls,
  startSession,
  untilQuiet,
  type FakeModel,
} from '@polylogue/testkit'
import { EngineError, RESULT_TOOL, type JsonObject, type Tool } from '../index.ts'

const PRESET = { access: { type: 'preset' } } as const
const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof EngineError ? `${error.code} ${error.field ?? ''}`.trim() : error),
  )
const offered = (model: FakeModel): readonly string[] => model.requests.at(-1)?.tools.map(({ name }) => name) ?? []

/** Takes an object whose `n` is a number. */
const toolFor = (): Tool => {
  const tool = createFakeTool(RESULT_TOOL, { exposed: false, kind: 'result' })
  return {
    ...tool,
    check: (input) =>
      typeof input['n'] === 'number' ? { ok: true, input } : { ok: false, problem: 'n: is no number' },
  }
}

const outputs = {
  toolFor,
  problemOf: async (schema: JsonObject) => (schema['type'] === 'object' ? undefined : 'must be an object schema'),
}

describe('the model of a session', () => {
  const other = createFakeModel()
  const models = {
    find: (name: string) => (name.startsWith('other/') ? { model: other, modelName: name } : undefined),
  }

  it('takes the place of the agent’s, and is recorded with every step', async () => {
    const test = await startSession({ models }, { model: 'other/x' })
    await test.say('go')
    await test.untilRest()
    expect(other.requests).toHaveLength(1)
    expect((await test.events()).find(({ type }) => type === 'step.started')).toMatchObject({ model: 'other/x' })
    expect(await test.view()).toMatchObject({ model: 'other/x' })
  })

  it('may be another one for a single turn', async () => {
    const test = await startSession({ models })
    await test.say('one', { settings: { model: 'other/y' } })
    await test.untilRest()
    await test.say('two')
    await test.untilRest()
    const steps = (await test.events()).filter((event) => event.type === 'step.started')
    expect(steps.map(({ model }) => model)).toEqual(['other/y', 'fake/model'])
  })

  it('changes for the turns after it', async () => {
    const test = await startSession({ models })
    await test.engine.execute({
      type: 'configure-session',
      userId: test.user,
      sessionId: test.sessionId,
      changes: { model: 'other/z' },
    })
    await test.say('go')
    await test.untilRest()
    expect((await test.events()).find(({ type }) => type === 'step.started')).toMatchObject({ model: 'other/z' })
  })

  it('must be an available one', async () => {
    const test = await startSession({ models })
    expect(await codeOf(test.say('go', { settings: { model: 'nobody/x' } }))).toBe('unknown-model model')
    expect(await codeOf(test.say('go', { changes: { model: 'nobody/x' } }))).toBe('unknown-model model')
    expect(await codeOf(startSession({ models }, { model: 'nobody/x' }))).toBe('unknown-model model')
    expect(await codeOf(startSession({}, { model: 'other/x' }))).toBe('unknown-model model')
  })
})

describe('the role of a session', () => {
  const roles = [
    { id: 'critic', name: 'Critic', instructions: 'Criticise.', tools: ['read'], isPlanning: true },
    { id: 'plain', name: 'Plain', instructions: 'Be plain.' },
  ]
  const tools = [createFakeTool('read'), createFakeTool('write')]

  it('adds to the instructions, leaves some of the tools, and may begin by planning', async () => {
    const test = await startSession({ roles, tools }, { ...PRESET, role: 'critic' })
    await test.say('go')
    await test.untilRest()
    expect(test.model.requests[0]?.system).toContain('Test.\n\nCriticise.')
    expect(offered(test.model)).toEqual(['read'])
    expect(await test.view()).toMatchObject({ role: 'critic', preset: 'plan' })
  })

  it('must be one of its agent’s', async () => {
    expect(await codeOf(startSession({ roles }, { role: 'clown' }))).toBe('invalid-input role')
    expect(await codeOf(startSession({}, { role: 'plain' }))).toBe('invalid-input role')
  })
})

describe('the tools of a session', () => {
  it('are the agent’s without those that are disabled, which cannot be called either', async () => {
    const tools = [createFakeTool('a'), createFakeTool('b')]
    const test = await startSession({ tools }, { ...PRESET, disabledTools: ['b'] })
    test.model.push([calls('1', 'b'), finishes('tool-calls')])
    await test.say('go')
    await test.untilRest()
    expect(offered(test.model)).toEqual(['a'])
    expect(settledCalls(await test.events())).toEqual([['1', 'failed']])
  })

  it('are what the session makes of the agent’s', async () => {
    const [agents, own, more] = [createFakeTool('a'), createFakeTool('a'), createFakeTool('c')]
    const sessionTools = (_: unknown, tools: readonly Tool[]) => [
      ...tools.filter(({ name }) => name !== 'a'),
      own,
      more,
    ]
    const test = await startSession({ tools: [agents, createFakeTool('b')], sessionTools }, PRESET)
    test.model.push([calls('1', 'a'), calls('2', 'c'), finishes('tool-calls')])
    await test.say('go')
    await test.untilRest()
    expect([agents, own, more].map(({ invocations }) => invocations.length)).toEqual([0, 1, 1])
    expect(offered(test.model)).toEqual(['b', 'a', 'c'])
  })

  it('may be withheld for one turn', async () => {
    const test = await startSession({ tools: [createFakeTool('a'), createFakeTool('b')] }, PRESET)
    await test.say('one', { settings: { withheldTools: ['a'] } })
    await test.untilRest()
    expect(offered(test.model)).toEqual(['b'])
    await test.say('two')
    await test.untilRest()
    expect(offered(test.model)).toEqual(['a', 'b'])
  })
})

describe('an unattended turn', () => {
  it('runs what would have been asked for, and offers no questions', async () => {
    const unsafe = createFakeTool('unsafe', { effect: 'unsafe' })
    const test = await startSession({ tools: [unsafe, createQuestionTool()] }, PRESET)
    test.model.push([calls('1', 'unsafe'), finishes('tool-calls')])
    await test.say('go', { settings: { isUnattended: true } })
    await test.untilRest()
    expect(unsafe.invocations).toHaveLength(1)
    expect(offered(test.model)).toEqual(['unsafe'])
    test.model.push([calls('2', 'unsafe'), finishes('tool-calls')])
    await test.say('again')
    await test.untilRest()
    expect(await test.view()).toMatchObject({ status: 'waiting' })
  })

  it('acp build 6: waits for nobody if the model asks a question all the same', async () => {
    const test = await startSession({ tools: [createQuestionTool()] }, PRESET)
    test.model.push([calls('1', 'Ask', { question: 'Who?' }), finishes('tool-calls')], [says('done'), finishes()])
    await test.say('go', { settings: { isUnattended: true } })
    await test.untilRest()
    expect(await test.view()).toMatchObject({ status: 'idle' })
    expect(test.model.requests.at(-1)?.messages.at(-1)).toMatchObject({
      role: 'tool',
      content: 'Error: there is no tool called Ask',
    })
  })

  it('does not run what is denied', async () => {
    const unsafe = createFakeTool('unsafe', { effect: 'unsafe' })
    const test = await startSession({ tools: [unsafe] }, { ...PRESET, preset: 'read-only' })
    test.model.push([calls('1', 'unsafe'), finishes('tool-calls')])
    await test.say('go', { settings: { isUnattended: true } })
    await test.untilRest()
    expect(unsafe.invocations).toEqual([])
  })
})

describe('planning that begins with a turn', () => {
  const configured = async (test: Awaited<ReturnType<typeof startSession>>) =>
    (await test.types()).filter((type) => ['turn.started', 'session.configured', 'step.started'].includes(type))

  it('is recorded after the turn has begun and before its first step, and lasts', async () => {
    const test = await startSession({}, PRESET)
    await test.say('one', { settings: { isPlanning: true } })
    await test.untilRest()
    await test.say('two', { settings: { isPlanning: true } })
    await test.untilRest()
    expect(await test.view()).toMatchObject({ preset: 'plan' })
    await test.say('three', { settings: { isPlanning: false } })
    await test.untilRest()
    expect(await test.view()).toMatchObject({ preset: 'workspace-write' })
    expect(await configured(test)).toEqual([
      ...['turn.started', 'session.configured', 'step.started'],
      ...['turn.started', 'step.started'],
      ...['turn.started', 'session.configured', 'step.started'],
    ])
  })

  it('waits with a queued input for its turn', async () => {
    const test = await startSession({}, PRESET)
    const gate = Promise.withResolvers<void>()
    test.model.push([() => gate.promise, says('x'), finishes()])
    await test.say('one')
    await untilQuiet()
    await test.say('two', { whenRunning: 'queue', settings: { isPlanning: true } })
    expect(await test.view()).toMatchObject({ preset: 'workspace-write', queued: 1 })
    gate.resolve()
    await test.untilRest()
    expect(await test.view()).toMatchObject({ preset: 'plan', queued: 0 })
  })
})

describe('a turn that owes a value', () => {
  const settings = { outputSchema: { type: 'object' } }
  const ended = async (test: Awaited<ReturnType<typeof startSession>>) =>
    (await test.events()).find((event) => event.type === 'turn.ended')

  it('ends with it', async () => {
    const test = await startSession({ outputs }, PRESET)
    test.model.push([calls('1', RESULT_TOOL, { n: 1 }), finishes('tool-calls')])
    await test.say('go', { settings })
    await test.untilRest()
    expect(await ended(test)).toMatchObject({ outcome: 'finished', output: { n: 1 } })
    expect(offered(test.model)).toContain(RESULT_TOOL)
    expect(test.model.requests).toHaveLength(1)
  })

  it('gets the problem twice, and its next value counts', async () => {
    const test = await startSession({ outputs }, PRESET)
    test.model.push(
      [calls('1', RESULT_TOOL, { n: 'x' }), finishes('tool-calls')],
      [says('It is 2.'), finishes()],
      [calls('3', RESULT_TOOL, { n: 2 }), finishes('tool-calls')],
    )
    await test.say('go', { settings })
    await test.untilRest()
    expect(await ended(test)).toMatchObject({ outcome: 'finished', output: { n: 2 } })
    expect(test.model.requests[2]?.messages.at(-1)).toMatchObject({ role: 'user', content: /submit_result/ })
  })

  it('fails after two reminders without effect', async () => {
    const test = await startSession({ outputs }, PRESET)
    for (const id of ['1', '2', '3']) test.model.push([calls(id, RESULT_TOOL, {}), finishes('tool-calls')])
    await test.say('go', { settings })
    await test.untilRest()
    expect(await ended(test)).toMatchObject({ outcome: 'failed', error: { code: 'output-schema-violation' } })
    expect(test.model.requests).toHaveLength(3)
  })

  it('is refused when its schema is invalid or cannot be checked', async () => {
    const test = await startSession({ outputs })
    expect(await codeOf(test.say('go', { settings: { outputSchema: { type: 'array' } } }))).toBe(
      'invalid-input settings.outputSchema',
    )
    const bare = await startSession()
    expect(await codeOf(bare.say('go', { settings }))).toBe('invalid-input settings.outputSchema')
  })
})
