import { describe, expect, it } from 'vitest'
import {
  calls,
  createAgentTool,
  createFakeTool,
  createQuestionTool,
  finishes,
  grant,
  restart,
  startSession,
  type FakeStep,
} from '@polylogue/testkit'
import { asUserId, textOf, type CreateSession, type Model, type PermissionRule, type Tool } from '../index.ts'

const PRESET: Partial<CreateSession> = { access: { type: 'preset' }, preset: 'workspace-write' }
const preview = { title: 'Pay 3', diffs: [{ path: '/a', newText: 'x' }] }
const pay = createFakeTool('pay', {
  effect: 'unsafe',
  inspect: async () => ({ facts: { type: 'plain' }, preview }),
})

async function startWaiting(step: FakeStep, tools: readonly Tool[] = [pay], more: object = {}) {
  const test = await startSession({ tools, ...more }, PRESET)
  test.model.push(step)
  await test.say('go')
  await test.untilRest()
  return { ...test, waiting: () => test.engine.readWaiting(test.user, test.sessionId) }
}

describe('the calls that a session waits for', () => {
  it('are shown with what would run and why a decision is needed', async () => {
    const test = await startWaiting([calls('a', 'pay', { amount: 3 }), finishes('tool-calls')])
    const [call, ...others] = await test.waiting()
    expect(others).toEqual([])
    expect(call).toEqual({
      toolCallId: 'a',
      turnId: (await test.view()).turnId,
      name: 'pay',
      input: { amount: 3 },
      waitsFor: 'approval',
      sentence: "The agent asks to run pay. The session's mode asks before calls like this one.",
      facts: { type: 'plain' },
      preview,
      approval: {
        reason: { type: 'preset' },
        callHash: expect.any(String),
        isCoverable: true,
        offers: [{ id: 'tool', label: 'Always allow pay in this session', covers: 'pay' }],
        requestedAt: expect.any(Number),
      },
    })
  })

  it('are the same after a restart, and none once they are answered', async () => {
    const first = await startWaiting([calls('a', 'pay', {}), finishes('tool-calls')])
    const before = await first.waiting()
    const second = await restart(first, { tools: [pay] })
    expect(await second.engine.readWaiting(second.user, second.sessionId)).toEqual(before)
    await second.answer(grant('a'))
    await second.untilRest()
    expect(await second.engine.readWaiting(second.user, second.sessionId)).toEqual([])
  })

  it('have the hash of the open request when the rules changed after the first one', async () => {
    const rules: PermissionRule[] = []
    const listRules = async () => rules.map((rule) => ({ ruleId: 'rule_1', rule, createdAt: 0 }))
    const test = await startWaiting([calls('a', 'pay', {}), finishes('tool-calls')], [pay], { rules: { listRules } })
    const [before] = await test.waiting()
    rules.push({ tool: 'pay', action: 'ask' })
    await test.answer(grant('a'))
    await test.untilRest()
    const [after] = await test.waiting()
    expect(after?.approval?.callHash).not.toBe(before?.approval?.callHash)
    expect(after?.approval?.reason).toEqual({ type: 'user-rule' })
  })

  it('tell questions and calls of the client apart from approvals', async () => {
    const question = { questions: [{ question: 'Which?' }] }
    const test = await startSession(
      { tools: [pay, createQuestionTool()] },
      { ...PRESET, clientTools: [{ name: 'look', description: '', parameters: {} }] },
    )
    test.model.push([
      calls('q', 'Ask', question),
      calls('c', 'look', {}),
      calls('a', 'pay', {}),
      finishes('tool-calls'),
    ])
    await test.say('go')
    await test.untilRest()
    const waiting = await test.engine.readWaiting(test.user, test.sessionId)
    expect(waiting.map(({ toolCallId, waitsFor, sentence }) => [toolCallId, waitsFor, sentence])).toEqual([
      ['q', 'answer', 'The agent has a question for you.'],
      ['c', 'client', 'look waits for a result from the client that brought the tool.'],
      ['a', 'approval', expect.stringContaining('The agent asks to run pay.')],
    ])
  })

  it('name the sub-agent that makes them, with hidden characters spelled out', async () => {
    const model: Model = {
      async *stream({ messages }) {
        const prompt = messages.findLast((message) => message.role === 'user')
        const isChild = prompt !== undefined && textOf(prompt.content) === 'inner'
        const input = { description: 'review\u202e', prompt: 'inner' }
        yield isChild ? calls('b', 'pay', { amount: 1 }) : calls('s', 'Agent', input)
        yield finishes('tool-calls')
      },
    }
    const test = await startSession(
      { model: { ...model, requests: [], push: () => undefined }, tools: [createAgentTool(), pay] },
      { access: { type: 'preset' }, preset: 'workspace-write' },
    )
    await test.say('outer')
    await test.untilRest()
    expect(await test.engine.readWaiting(test.user, test.sessionId)).toMatchObject([
      {
        toolCallId: 'b',
        subAgent: { agent: 'tester', description: 'review\u202e' },
        sentence: "The sub-agent “review\\u202e” asks to run pay. The session's mode asks before calls like this one.",
      },
    ])
  })

  it('are unknown to other users', async () => {
    const test = await startWaiting([calls('a', 'pay', {}), finishes('tool-calls')])
    await expect(test.engine.readWaiting(asUserId('stranger'), test.sessionId)).rejects.toMatchObject({
      code: 'session-not-found',
    })
  })
})
