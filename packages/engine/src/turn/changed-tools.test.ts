import { describe, expect, it } from 'vitest'
import { createMemoryRuleStore, finishes, grant, says } from '@polylogue/testkit'
import type { Tool } from '../index.ts'
import { startWith, pay, paying } from './test-support/judged-session.ts'

describe('a tool that another package defines', () => {
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
    'is covered by the rule for %j in its state at the first call, not its current state',
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

  it('is allowed in its former state, not in its current one', async () => {
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

  it('is not allowed by an answer to its former state', async () => {
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
