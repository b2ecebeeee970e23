import { describe, expect, it } from 'vitest'
import {
  calls,
  createAgentTool,
  createFakeTool,
  createQuestionTool,
  createTestAgent,
  finishes,
  grant,
  hangs,
  restart,
  result,
  says,
  untilQuiet,
} from '@polylogue/testkit'
import type { CreateSession } from '../index.ts'
import { createScripts, delegate, start } from './test-support/delegating-session.ts'
import { settled } from './test-support/judged-session.ts'

describe('a question or an approval inside a sub-agent', () => {
  const scripts = {
    go: [[delegate('a', 'pay bob'), finishes('tool-calls')]],
    'pay bob': [
      [calls('b', 'pay'), finishes('tool-calls')],
      [says('paid'), finishes()],
    ],
  } satisfies Parameters<typeof createScripts>[0]

  const ASKING: Partial<CreateSession> = { access: { type: 'preset' }, preset: 'workspace-write' }

  it('pauses the turn, is seen from outside, and continues where it was', async () => {
    const pay = createFakeTool('pay', { effect: 'unsafe' })
    const test = await start(scripts, { tools: [pay] }, ASKING)
    await test.say('go')
    await test.untilRest()
    expect(await test.view()).toMatchObject({ status: 'waiting', waitingCalls: ['b'] })
    for (const view of ['full', 'compacted'] as const) {
      const history = await test.engine.readHistory(test.user, test.sessionId, view)
      expect(history.at(-1)).toMatchObject({
        role: 'assistant',
        content: [{ toolCallId: 'a' }, { toolCallId: 'b', name: 'pay' }],
      })
    }
    await test.answer(grant('b'))
    await test.untilRest()
    expect(settled(await test.events())).toEqual(['b completed: pay ran', 'a completed: paid'])
    expect(await test.types()).not.toContain('turn.taken-over')
    const history = await test.engine.readHistory(test.user, test.sessionId, 'full')
    expect(history.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant'])
    expect(pay.invocations).toHaveLength(1)
  })

  it('survives a restart', async () => {
    const pay = createFakeTool('pay', { effect: 'unsafe' })
    const first = await start(scripts, { tools: [pay] }, ASKING)
    await first.say('go')
    await first.untilRest()
    const second = await restart(first, {
      model: createScripts(scripts),
      tools: [createAgentTool(), createQuestionTool(), pay],
    })
    expect(await second.view()).toMatchObject({ status: 'waiting', waitingCalls: ['b'] })
    await second.answer(grant('b'))
    await second.untilRest()
    expect(settled(await second.events())).toEqual(['b completed: pay ran', 'a completed: paid'])
  })

  it('lets its siblings finish first', async () => {
    const test = await start(
      {
        go: [[delegate('a', 'ask'), delegate('b', 'work'), finishes('tool-calls')]],
        ask: [
          [calls('q', 'Ask', { question: 'Which?' }), finishes('tool-calls')],
          [says('so be it'), finishes()],
        ],
        work: [[says('worked'), finishes()]],
      },
      {},
      ASKING,
    )
    await test.say('go')
    await test.untilRest()
    expect(await test.view()).toMatchObject({ status: 'waiting', waitingCalls: ['q'] })
    expect(settled(await test.events())).toEqual(['b completed: worked'])
    await test.answer(result('q', 'the blue one'))
    await test.untilRest()
    expect(settled(await test.events())).toEqual([
      'b completed: worked',
      'q completed: the blue one',
      'a completed: so be it',
    ])
  })
})

describe('the rights of a sub-agent', () => {
  it('never exceed those of its parent', async () => {
    const pay = createFakeTool('pay', { effect: 'unsafe' })
    const rich = createTestAgent({
      name: 'rich',
      model: createScripts({ spend: [[calls('b', 'pay'), finishes('tool-calls')]] }),
      tools: [pay],
    })
    const test = await start(
      { go: [[delegate('a', 'spend', { agent: 'rich' }), finishes('tool-calls')]] },
      { others: [rich] },
    )
    await test.say('go')
    await test.untilRest()
    expect(pay.invocations).toEqual([])
    expect(settled(await test.events())[0]).toBe('b failed: Error: the tool pay is not enabled in this session')
  })

  it('follow the mode of the session, which may change while it works', async () => {
    const pay = createFakeTool('pay', { effect: 'unsafe' })
    const gate = Promise.withResolvers<void>()
    const test = await start(
      {
        go: [[delegate('a', 'spend'), finishes('tool-calls')]],
        spend: [[() => gate.promise, calls('b', 'pay'), finishes('tool-calls')]],
      },
      { tools: [pay] },
    )
    await test.say('go')
    await untilQuiet()
    const { sessionId, user: userId } = test
    await test.engine.execute({ type: 'configure-session', userId, sessionId, changes: { preset: 'read-only' } })
    gate.resolve()
    await test.untilRest()
    expect(pay.invocations).toEqual([])
    expect(settled(await test.events())[0]).toBe('b denied: Error: the tool pay is not allowed in mode read-only')
  })
})

describe('a crash while sub-agents work', () => {
  it('lets them continue where they were', async () => {
    const scripts = {
      go: [[delegate('a', 'find it'), finishes('tool-calls')]],
      'find it': [
        [calls('b', 'look'), finishes('tool-calls')],
        [says('here'), finishes()],
      ],
    } satisfies Parameters<typeof createScripts>[0]
    const first = await start(scripts, { tools: [createFakeTool('look', { run: hangs })] })
    await first.say('go')
    await untilQuiet()
    const look = createFakeTool('look')
    const second = await restart(first, {
      model: createScripts(scripts),
      tools: [createAgentTool(), createQuestionTool(), look],
    })
    await second.untilRest()
    expect(settled(await second.events())).toEqual(['b completed: look ran', 'a completed: here'])
    expect((await second.events()).filter(({ type }) => type === 'loop.started')).toHaveLength(1)
  })
})
