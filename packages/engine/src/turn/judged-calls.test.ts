import { describe, expect, it } from 'vitest'
import {
  calls,
  createFakeModel,
  createFakeTool,
  createMemoryRuleStore,
  createQuestionTool,
  deny,
  finishes,
  grant,
  hangs,
  restart,
  result,
  says,
  startSession,
  untilQuiet,
  type FakeToolOptions,
  type TestEngineOptions,
  type TestSession,
} from '@polylogue/testkit'
import {
  textOf,
  type CallFacts,
  type CreateSession,
  type PermissionRule,
  type RecordedEvent,
  type SessionChanges,
  type Tool,
} from '../index.ts'

const WORKSPACE_WRITE: Partial<CreateSession> = { access: { type: 'preset' }, preset: 'workspace-write' }

async function startWith(tools: readonly Tool[], options: TestEngineOptions = {}, create = WORKSPACE_WRITE) {
  const test = await startSession({ ...options, tools }, create)
  const configure = (changes: SessionChanges) =>
    test.engine.execute({ type: 'configure-session', userId: test.user, sessionId: test.sessionId, changes })
  return { ...test, configure }
}

const pay = (more: FakeToolOptions = {}) => createFakeTool('pay', { effect: 'unsafe', ...more })
const paying = (id: string, input: object = {}) => [calls(id, 'pay', input), finishes('tool-calls')]

const settled = (events: readonly RecordedEvent[]) =>
  events.flatMap((event) =>
    event.type === 'tool-call.settled' ? [`${event.toolCallId} ${event.status}: ${textOf(event.output)}`] : [],
  )
const asked = async (test: TestSession) =>
  (await test.events()).flatMap((event) => (event.type === 'approval.requested' ? [event] : []))

describe('a call that was approved', () => {
  it('is judged once more before it runs: a stricter mode denies it', async () => {
    const tool = pay()
    const test = await startWith([tool])
    test.model.push(paying('a'))
    await test.say('go')
    await test.untilRest()
    await test.configure({ preset: 'read-only' })
    await test.answer(grant('a'))
    await test.untilRest()
    expect(tool.invocations).toEqual([])
    expect(settled(await test.events())).toEqual(['a denied: Error: the tool pay is not allowed in mode read-only'])
  })

  it('is asked for again when the rules have changed since', async () => {
    const rules: PermissionRule[] = []
    const listRules = async () => rules.map((rule) => ({ ruleId: 'rule_1', rule, createdAt: 0 }))
    const tool = pay()
    const test = await startWith([tool], { rules: { listRules, bindRule: async () => undefined } })
    test.model.push(paying('a'))
    await test.say('go')
    await test.untilRest()
    rules.push({ tool: 'other', action: 'deny' })
    await test.answer(grant('a'))
    await test.untilRest()
    expect(tool.invocations).toEqual([])
    const [before, after] = await asked(test)
    expect(after?.callHash).not.toBe(before?.callHash)
    await test.answer(grant('a'))
    await test.untilRest()
    expect(tool.invocations).toHaveLength(1)
  })

  it('carries a grant for exactly what runs, and a crash does not widen it', async () => {
    const tool = pay()
    const first = await startWith([tool])
    first.model.push(paying('a', { to: 'bob' }))
    await first.say('go')
    await first.untilRest()
    const second = await restart(first, { tools: [tool] })
    await second.answer(grant('a'))
    await second.untilRest()
    const [request] = await asked(second)
    expect(tool.invocations.map((invocation) => invocation.grant)).toMatchObject([
      { callHash: request?.callHash, call: { tool: 'pay', input: { to: 'bob' }, cwd: '/nowhere' } },
    ])
  })

  it('covers one call: another of the same tool is asked for by itself', async () => {
    const tool = pay()
    const test = await startWith([tool])
    test.model.push([calls('a', 'pay'), calls('b', 'pay'), finishes('tool-calls')])
    await test.say('go')
    await test.untilRest()
    await test.answer(grant('a'))
    await test.untilRest()
    expect((await test.view()).waitingCalls).toEqual(['b'])
    expect(tool.invocations.map(({ toolCallId }) => toolCallId)).toEqual(['a'])
    await test.answer(deny('b', 'too much'))
    await test.untilRest()
    expect(settled(await test.events())).toEqual(['a completed: pay ran', 'b denied: Tool call denied: too much'])
  })
})

describe('a tool that was waved through for the session', () => {
  const wave = (id: string) => ({ ...grant(id), scope: 'session' }) as ReturnType<typeof grant>

  it('cluster 57: asks no more, in whichever process the session runs', async () => {
    const tool = pay()
    const first = await startWith([tool])
    first.model.push(paying('a'), [says('ok'), finishes()], paying('b'))
    await first.say('go')
    await first.untilRest()
    await first.answer(wave('a'))
    await first.untilRest()
    await first.say('again')
    await first.untilRest()
    expect(tool.invocations.map(({ toolCallId }) => toolCallId)).toEqual(['a', 'b'])
    const second = await restart(first, { tools: [tool] })
    second.model.push(paying('c'))
    await second.say('and again')
    await second.untilRest()
    expect(tool.invocations.map(({ toolCallId }) => toolCallId)).toEqual(['a', 'b', 'c'])
  })

  it('is asked for again after a process died in the middle of a turn', async () => {
    const tool = pay()
    const first = await startWith([tool])
    first.model.push(paying('a'), [hangs])
    await first.say('go')
    await first.untilRest()
    await first.answer(wave('a'))
    await untilQuiet()
    const second = await restart(first, { tools: [tool], model: createFakeModel(paying('b')) })
    await second.untilRest()
    expect((await second.view()).waitingCalls).toEqual(['b'])
  })

  it('is still denied where it is denied, and asked for where that may not be waved through', async () => {
    const shell: CallFacts = { type: 'shell', risk: 'other', isUnderstood: true, hasWrapper: true }
    const tool = pay({ inspect: async () => ({ facts: shell }) })
    const test = await startWith([tool])
    test.model.push(paying('a'), paying('b'), [says('ok'), finishes()], paying('c'))
    await test.say('go')
    await test.untilRest()
    await test.answer(wave('a'))
    await test.untilRest()
    expect((await test.view()).waitingCalls).toEqual(['b'])
    await test.answer(grant('b'))
    await test.untilRest()
    await test.configure({ preset: 'read-only' })
    await test.say('again')
    await test.untilRest()
    expect(settled(await test.events()).at(-1)).toContain('c denied')
  })
})

describe('a tool that somebody else defines', () => {
  function changing() {
    let version = 'v1'
    const tool = pay()
    const live: Tool = Object.defineProperty({ ...tool }, 'definition', { enumerable: true, get: () => version })
    return { live, invocations: tool.invocations, change: () => (version = 'v2') }
  }

  it('is asked for again when it has changed since the call was allowed', async () => {
    const { live, invocations, change } = changing()
    const test = await startWith([live])
    test.model.push(paying('a'))
    await test.say('go')
    await test.untilRest()
    change()
    await test.answer(grant('a'))
    await test.untilRest()
    expect(invocations).toEqual([])
    expect((await test.view()).waitingCalls).toEqual(['a'])
  })

  it.each(['pay', 'p.*'])(
    'is covered by the rule for %j as it was at its first call, not as it has become',
    async (name) => {
      const { live, invocations, change } = changing()
      const rules = createMemoryRuleStore()
      const test = await startWith([live], { rules })
      await rules.addRule(test.user, { ruleId: 'rule_1', rule: { tool: name, action: 'allow' }, createdAt: 0 })
      test.model.push(paying('a'), paying('b'), [says('ok'), finishes()], paying('c'), [says('ok'), finishes()])
      await test.say('go')
      await test.untilRest()
      expect(invocations.map(({ toolCallId }) => toolCallId)).toEqual(['a', 'b'])
      change()
      await test.say('again')
      await test.untilRest()
      expect((await test.view()).waitingCalls).toEqual(['c'])
      expect((await test.events()).findLast(({ type }) => type === 'approval.requested')).toMatchObject({
        reason: 'definition-changed:pay',
      })
      await rules.removeRule(test.user, 'rule_1')
      await rules.addRule(test.user, { ruleId: 'rule_2', rule: { tool: name, action: 'allow' }, createdAt: 0 })
      await test.answer(grant('c'))
      await test.untilRest()
      expect(invocations.map(({ toolCallId }) => toolCallId)).toEqual(['a', 'b', 'c'])
    },
  )

  it('is denied by a rule, whatever it has become', async () => {
    const { live, invocations, change } = changing()
    const rules = createMemoryRuleStore()
    const test = await startWith([live], { rules })
    await rules.addRule(test.user, { ruleId: 'rule_1', rule: { tool: 'pay', action: 'deny' }, createdAt: 0 })
    test.model.push(paying('a'), [says('ok'), finishes()], paying('b'), [says('ok'), finishes()])
    await test.say('go')
    await test.untilRest()
    change()
    await test.say('again')
    await test.untilRest()
    expect(invocations).toEqual([])
    expect(await rules.listRules(test.user)).toMatchObject([{ rule: { tool: 'pay', action: 'deny' } }])
  })

  it('is waved through as it was, not as it has become', async () => {
    const { live, invocations, change } = changing()
    const test = await startWith([live])
    test.model.push(paying('a'), paying('b'), [says('ok'), finishes()], paying('c'))
    await test.say('go')
    await test.untilRest()
    await test.answer({ ...grant('a'), scope: 'session' } as ReturnType<typeof grant>)
    await test.untilRest()
    expect(invocations.map(({ toolCallId }) => toolCallId)).toEqual(['a', 'b'])
    change()
    await test.say('again')
    await test.untilRest()
    expect((await test.view()).waitingCalls).toEqual(['c'])
  })

  it('is not waved through by an answer to what it was before', async () => {
    const { live, invocations, change } = changing()
    const test = await startWith([live])
    test.model.push(paying('a'))
    await test.say('go')
    await test.untilRest()
    change()
    await test.answer({ ...grant('a'), scope: 'session' } as ReturnType<typeof grant>)
    await test.untilRest()
    expect(invocations).toEqual([])
    expect((await test.view()).waitingCalls).toEqual(['a'])
  })
})

describe('what a tool says of its call', () => {
  it('decides over it, and is recorded with it', async () => {
    const outside: CallFacts = { type: 'write-files', outside: '/etc/passwd' }
    const preview = { title: 'Write /etc/passwd', locations: [{ path: '/etc/passwd' }] }
    const tool = pay({ inspect: async () => ({ facts: outside, preview }) })
    const test = await startWith([tool], {}, { access: { type: 'preset' }, preset: 'full-access' })
    test.model.push(paying('a'))
    await test.say('go')
    await test.untilRest()
    expect(tool.invocations).toEqual([])
    const events = await test.events()
    expect(settled(events)[0]).toContain('a denied: Error: the tool pay may not touch a path outside of the workspace')
    expect(events.find(({ type }) => type === 'step.answered')).toMatchObject({
      inspections: { a: { facts: outside, preview } },
    })
  })

  it('is asked for again right before it runs: the world may have changed', async () => {
    let facts: CallFacts = { type: 'write-files' }
    const tool = pay({ inspect: async () => ({ facts }) })
    const gate = Promise.withResolvers<void>()
    const slow = createFakeTool('slow', { run: async () => (await gate.promise, { content: '' }) })
    const rules: PermissionRule[] = [{ tool: 'pay', action: 'ask' }]
    const listRules = async () => rules.map((rule) => ({ ruleId: 'rule_1', rule, createdAt: 0 }))
    const test = await startWith([tool, slow], { rules: { listRules, bindRule: async () => undefined } })
    test.model.push(paying('a'))
    await test.say('go')
    await test.untilRest()
    facts = { type: 'write-files', outside: '/elsewhere' }
    await test.answer(grant('a'))
    await test.untilRest()
    expect(tool.invocations).toEqual([])
    expect(settled(await test.events())[0]).toContain('a denied')
    gate.resolve()
  })

  it('that it cannot say keeps the call from running', async () => {
    const tool = pay({ inspect: () => Promise.reject(new Error('boom')) })
    const test = await startWith([tool], {}, { access: { type: 'preset' }, preset: 'full-access' })
    test.model.push(paying('a'))
    await test.say('go')
    await test.untilRest()
    expect(tool.invocations).toEqual([])
    expect(settled(await test.events())).toEqual(['a failed: Error: what pay would do could not be found out'])
  })
})

describe('planning', () => {
  it('offers only what may run, tells the model, and ends where it began', async () => {
    const look = createFakeTool('look')
    const test = await startWith([look, pay()], {}, { access: { type: 'preset' }, preset: 'full-access' })
    await test.configure({ planning: true })
    await test.say('plan it')
    await test.untilRest()
    expect((await test.view()).preset).toBe('plan')
    const [planned] = test.model.requests
    expect(planned?.tools.map(({ name }) => name)).toEqual(['look'])
    expect(planned?.system).toContain('plan')
    await test.configure({ planning: false })
    await test.configure({ planning: false })
    await test.say('do it')
    await test.untilRest()
    expect((await test.view()).preset).toBe('full-access')
    expect(test.model.requests[1]?.tools.map(({ name }) => name)).toEqual(['look', 'pay'])
    expect((await test.types()).filter((type) => type === 'session.configured')).toHaveLength(2)
  })
})

describe('a question to the user', () => {
  const asking = [calls('q', 'Ask', { question: 'Which?' }), finishes('tool-calls')]

  it('waits, survives a restart, and takes the answer as its result', async () => {
    const first = await startWith([createQuestionTool()], {}, { access: { type: 'preset' }, preset: 'read-only' })
    first.model.push(asking)
    await first.say('go')
    await first.untilRest()
    const second = await restart(first, { tools: [createQuestionTool()] })
    expect(await second.view()).toMatchObject({ status: 'waiting', waitingCalls: ['q'] })
    await second.answer(result('q', 'the blue one'))
    await second.untilRest()
    expect(settled(await second.events())).toEqual(['q completed: the blue one'])
    await expect(second.answer(result('q', 'no, the red one'))).rejects.toThrow('already resolved')
  })

  it('that only gets a permission is put into the text instead; a denial is its result', async () => {
    const test = await startWith([createQuestionTool()])
    test.model.push(asking, [calls('r', 'Ask'), finishes('tool-calls')])
    await test.say('go')
    await test.untilRest()
    await test.answer(grant('q'))
    await test.untilRest()
    await test.answer(deny('r', 'busy'))
    await test.untilRest()
    expect(settled(await test.events())).toEqual([
      'q completed: The user cannot answer this question here. Ask it in your text instead.',
      'r denied: Tool call denied: busy',
    ])
  })
})

describe('one call that is cancelled', () => {
  it('ends while the turn goes on, whether it runs or waits', async () => {
    const gate = Promise.withResolvers<void>()
    const slow = createFakeTool('slow', { run: async () => (await gate.promise, { content: 'too late' }) })
    const test = await startWith([slow, pay()])
    test.model.push([calls('a', 'slow'), calls('b', 'pay'), finishes('tool-calls')])
    await test.say('go')
    await untilQuiet()
    const { sessionId, user: userId } = test
    for (const toolCallId of ['a', 'b'] as never[])
      await test.engine.execute({ type: 'cancel-call', userId, sessionId, toolCallId, reason: 'enough' })
    await test.untilRest()
    gate.resolve()
    await untilQuiet()
    expect(settled(await test.events()).toSorted()).toEqual([
      'a cancelled: Tool call cancelled',
      'b cancelled: Tool call cancelled: enough',
    ])
    expect((await test.view()).lastOutcome).toBe('finished')
  })
})

describe('output of a tool that runs', () => {
  it('is told live, and late readers get what there was', async () => {
    const gate = Promise.withResolvers<void>()
    const tool = createFakeTool('slow', {
      run: async ({ progress }) => {
        progress('one ')
        progress('two ')
        await gate.promise
        return { content: 'done', meta: { ui: 1 }, changedFiles: [{ path: '/a', change: 'created' }] }
      },
    })
    const test = await startWith([tool])
    test.model.push([calls('a', 'slow'), finishes('tool-calls')])
    await test.say('go')
    await untilQuiet()
    const heard: string[] = []
    await test.engine.attach(test.user, test.sessionId, {
      after: { seq: 0 },
      reader: {
        recorded: () => undefined,
        delta: () => undefined,
        progress: ({ toolCallId, text }) => heard.push(`${toolCallId} ${text}`),
        closed: () => undefined,
      },
    })
    gate.resolve()
    await test.untilRest()
    expect(heard).toEqual(['a one two '])
    expect((await test.events()).find(({ type }) => type === 'tool-call.settled')).toMatchObject({
      meta: { ui: 1 },
      changedFiles: [{ path: '/a', change: 'created' }],
    })
    expect(test.model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'done' })
  })
})
