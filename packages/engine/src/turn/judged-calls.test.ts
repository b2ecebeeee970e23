import { describe, expect, it } from 'vitest'
import {
  calls,
  createFakeModel,
  createFakeTool,
  deny,
  finishes,
  grant,
  hangs,
  restart,
  says,
  untilQuiet,
} from '@polylogue/testkit'
import type { CallFacts, PermissionRule } from '../index.ts'
import { startWith, pay, paying, settled, asked } from './test-support/judged-session.ts'

const askAlways = {
  listRules: async () => [{ ruleId: 'rule_1', rule: { tool: 'pay', action: 'ask' as const }, createdAt: 0 }],
  addRule: async () => undefined,
  bindRule: async () => undefined,
}

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
    const test = await startWith([tool], {
      rules: { listRules, addRule: async () => undefined, bindRule: async () => undefined },
    })
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

  it('does not run when what the shown change starts from is another text by then', async () => {
    let before = 'digest of the old text'
    const tool = pay({ inspect: async () => ({ facts: { type: 'write-files' }, before }) })
    const test = await startWith([tool], { rules: askAlways })
    for (const [id, change] of [
      ['a', 'digest of another text'],
      ['b', undefined],
    ] as const) {
      test.model.push(paying(id), [says('Well.'), finishes()])
      await test.say('go')
      await test.untilRest()
      expect((await asked(test)).at(-1)).toMatchObject({ toolCallId: id, before })
      before = change ?? before
      await test.answer(grant(id))
      await test.untilRest()
    }
    expect(settled(await test.events())).toEqual([
      'a failed: Error: the file has changed since the user was asked, so nothing was written; read it, then call again',
      expect.stringMatching(/^b completed/),
    ])
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

  it('cluster 57: stops asking, no matter which process runs the session', async () => {
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

describe("a tool's description of its call", () => {
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
    const test = await startWith([tool, slow], {
      rules: { listRules, addRule: async () => undefined, bindRule: async () => undefined },
    })
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
  it('offers only what may run, informs the model, and ends where it began', async () => {
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

describe('a call that is denied', () => {
  it('acp finding 5: for its address says so, and not that its tool is not allowed', async () => {
    const facts: CallFacts = { type: 'fetch', host: '127.0.0.1', isPrivateAddress: true }
    const test = await startWith(
      [createFakeTool('look', { inspect: async () => ({ facts }) })],
      {},
      {
        access: { type: 'preset' },
        preset: 'workspace-write',
      },
    )
    test.model.push([calls('a', 'look'), finishes('tool-calls')])
    await test.say('go')
    await test.untilRest()
    expect(settled(await test.events())).toEqual([
      'a denied: Error: the tool look may not read this address in mode workspace-write: it is on this machine, in a private network, or blocked',
    ])
  })
})
