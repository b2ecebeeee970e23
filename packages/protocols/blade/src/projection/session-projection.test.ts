import { RESULT_TOOL } from '@polylogue/engine'
import {
  calls,
  createAgentTool,
  createFakeClock,
  createFakeTool,
  createQuestionTool,
  finishes,
  grant,
  deny,
  result,
  says,
  startSession,
  thinks,
  type TestEngineOptions,
  type TestSession,
} from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { SessionFold } from '../fold/session-fold.ts'
import { findBreaches } from '../test-support/find-breaches.ts'
import { plainDescribe, watchSession, type Watched } from '../test-support/watch-session.ts'
import { readTurns } from './read-turns.ts'

async function open(options: TestEngineOptions = {}): Promise<TestSession & { readonly watched: Watched }> {
  const test = await startSession(options, { access: { type: 'preset' } })
  return { ...test, watched: await watchSession(test.engine, test.user, test.sessionId) }
}

/** What was told keeps all promises, and folds to what the log says. */
async function expectLaw({ engine, user, sessionId, watched }: Awaited<ReturnType<typeof open>>): Promise<void> {
  expect(findBreaches(watched.lean, { sequence: 0 })).toEqual([])
  expect(findBreaches(watched.plain, { sequence: 0 })).toEqual([])
  const folded = new SessionFold(sessionId, { usesSnapshots: false })
  for (const output of watched.lean) folded.apply(output)
  expect(folded.isDirty).toBe(false)
  expect(folded.turns).toEqual(await readTurns(engine, { userId: user, sessionId }, plainDescribe))
}

describe('a run', () => {
  it('with text alone', async () => {
    const test = await open()
    test.model.push([thinks('hm '), thinks('so'), says('a '), says('b'), finishes()])
    await test.say('hello')
    await test.untilRest()
    expect(test.watched.story()).toEqual([
      'chat:start',
      'turn:start user completed',
      'turn:end user completed',
      'turn:start assistant streaming',
      'add_content thinking',
      'add_content thinking',
      'add_content text',
      'set_status completed',
      'turn:end assistant completed',
      'chat:end completed/completed',
      'session:updated',
    ])
    await expectLaw(test)
  })

  it('blade 54: names a session whose title was taken away', async () => {
    const test = await open()
    const { engine, user: userId, sessionId } = test
    for (const title of ['a draft', '']) {
      await engine.execute({ type: 'configure-session', userId, sessionId, changes: { title } })
    }
    await test.say('hello')
    await test.untilRest()
    const updates = test.watched.lean.flatMap(({ event, payload }) => (event === 'session:updated' ? [payload] : []))
    expect(updates).toMatchObject([{ intent: 'a draft' }, { intent: '' }, { intent: 'hello' }])
  })

  it('with calls', async () => {
    const test = await open({
      tools: [createFakeTool('t'), createFakeTool('u', { run: () => Promise.reject(new Error('no')) })],
    })
    test.model.push([says('x'), calls('a', 't'), calls('b', 'u'), finishes('tool-calls')])
    await test.say('go')
    await test.untilRest()
    expect(test.watched.story().slice(3, 12)).toEqual([
      'turn:start assistant streaming',
      'add_content text',
      'add_tool_call a pending',
      'add_tool_call b pending',
      'tool_result a done',
      'tool_result b error',
      'set_status completed',
      'turn:end assistant completed',
      'turn:start assistant streaming',
    ])
    await expectLaw(test)
  })

  it('with a question', async () => {
    const test = await open({ tools: [createQuestionTool()] })
    test.model.push([calls('q', 'Ask', { questions: [] }), finishes('tool-calls')])
    await test.say('go')
    await test.untilRest()
    expect(test.watched.projection.status).toBe('waiting_for_input')
    await test.answer(result('q', 'yes'))
    await test.untilRest()
    expect(test.watched.story().slice(3)).toEqual([
      'turn:start assistant streaming',
      'add_tool_call q awaiting_answer',
      'set_status paused',
      'turn:end assistant paused',
      'chat:end completed/completed',
      'session:updated',
      'chat:start',
      'tool_result q done',
      'set_status completed',
      'turn:end assistant completed',
      'turn:start assistant streaming',
      'add_content text',
      'set_status completed',
      'turn:end assistant completed',
      'chat:end completed/completed',
    ])
    await expectLaw(test)
  })

  it('with an approval that is granted', async () => {
    const test = await open({ tools: [createFakeTool('w', { effect: 'unsafe' })] })
    test.model.push([calls('a', 'w', { x: 1 }), finishes('tool-calls')])
    await test.say('go')
    await test.untilRest()
    await test.answer(grant('a'))
    await test.untilRest()
    expect(test.watched.story().slice(3, 17)).toEqual([
      'turn:start assistant streaming',
      'add_tool_call a awaiting_answer',
      'set_tool_status a awaiting_answer',
      'add_tool_call ask_a awaiting_answer',
      'set_status paused',
      'turn:end assistant paused',
      'chat:end completed/completed',
      'session:updated',
      'chat:start',
      'tool_result ask_a done',
      'set_tool_status a pending',
      'set_status streaming',
      'tool_result a done',
      'set_status completed',
    ])
    await expectLaw(test)
  })

  it('with an approval that is refused', async () => {
    const test = await open({ tools: [createFakeTool('w', { effect: 'unsafe' })] })
    test.model.push([calls('a', 'w'), finishes('tool-calls')])
    await test.say('go')
    await test.untilRest()
    await test.answer(deny('a', 'no'))
    await test.untilRest()
    expect(test.watched.story()).toContain('tool_result a cancelled')
    await expectLaw(test)
  })

  it('blade 57: says how long a sub-agent took', async () => {
    const clock = createFakeClock()
    const test = await open({ tools: [createAgentTool()], clock })
    test.model.push(
      [calls('p', 'Agent', { prompt: 'do', description: 'a job' }), finishes('tool-calls')],
      [() => clock.advance(1_500), says('child done'), finishes()],
    )
    await test.say('go')
    await test.untilRest()
    const { engine, user: userId, sessionId } = test
    const turns = await readTurns(engine, { userId, sessionId }, plainDescribe)
    expect(turns[1]?.tool_calls).toMatchObject([{ id: 'p', status: 'done', duration_ms: 1_500 }])
    await expectLaw(test)
  })

  it('superseded while it waits', async () => {
    const test = await open({ tools: [createQuestionTool()] })
    test.model.push([calls('q', 'Ask'), finishes('tool-calls')])
    await test.say('go')
    await test.untilRest()
    await test.say('never mind')
    await test.untilRest()
    expect(test.watched.story().slice(9, 15)).toEqual([
      'chat:start',
      'tool_result q cancelled',
      'set_status completed',
      'turn:end assistant completed',
      'turn:start user completed',
      'turn:end user completed',
    ])
    await expectLaw(test)
  })

  it('stopped while it waits', async () => {
    const test = await open({ tools: [createQuestionTool()] })
    test.model.push([calls('q', 'Ask'), finishes('tool-calls')])
    await test.say('go')
    await test.untilRest()
    await test.cancel(true)
    await Promise.resolve()
    expect(test.watched.story().slice(9)).toEqual([
      'set_tool_status q cancelled',
      'set_status interrupted',
      'turn:end assistant interrupted',
      'session:updated',
    ])
    expect(test.watched.projection.status).toBe('interrupted')
    await expectLaw(test)
  })

  it('with a sub-agent that asks', async () => {
    const test = await open({ tools: [createAgentTool(), createQuestionTool()] })
    test.model.push(
      [calls('p', 'Agent', { prompt: 'do', description: 'a job' }), finishes('tool-calls')],
      [calls('q', 'Ask'), finishes('tool-calls')],
      [says('child done'), finishes()],
    )
    await test.say('go')
    await test.untilRest()
    await test.answer(result('q', 'yes'))
    await test.untilRest()
    expect(test.watched.story().slice(3, 30)).toEqual([
      'turn:start assistant streaming',
      'add_tool_call p pending',
      'turn:start assistant streaming',
      'add_tool_call q awaiting_answer',
      'set_status paused',
      'turn:end assistant paused',
      'set_tool_status p awaiting_answer',
      'set_status paused',
      'turn:end assistant paused',
      'chat:end completed/completed',
      'session:updated',
      'chat:start',
      'set_tool_status p pending',
      'set_status streaming',
      'tool_result q done',
      'set_status completed',
      'turn:end assistant completed',
      'turn:start assistant streaming',
      'add_content text',
      'set_status completed',
      'turn:end assistant completed',
      'tool_result p done',
      'set_status completed',
      'turn:end assistant completed',
      'turn:start assistant streaming',
      'add_content text',
      'set_status completed',
    ])
    await expectLaw(test)
  })

  it('that fails', async () => {
    const test = await open()
    test.model.push([says('half'), { type: 'failed', error: { code: 'overloaded', message: 'The model is down.' } }])
    await test.say('go')
    await test.untilRest()
    expect(test.watched.story().slice(3)).toEqual([
      'turn:start assistant streaming',
      'add_content text',
      'add_content system_notification',
      'set_status failed',
      'turn:end assistant failed',
      'system:error',
      'chat:end failed/null',
      'session:updated',
    ])
    await expectLaw(test)
  })

  it('blade 113: has a result where a client asked for it headless, and none where a schedule began it', async () => {
    const test = await open()
    await test.say('go', { settings: { isUnattended: true, keyId: 'key_1' } })
    await test.untilRest()
    await test.say('go', { settings: { isUnattended: true } })
    await test.untilRest()
    const ends = test.watched.lean.flatMap(({ event, payload }) => (event === 'chat:end' ? [payload] : []))
    expect(ends).toMatchObject([{ result: { output: 'done' } }, { result: null }])
    await expectLaw(test)
  })

  it('that fails adds its reason as a whole block, with null for what it has not', async () => {
    const test = await open()
    test.model.push([{ type: 'failed', error: { code: 'overloaded', message: 'The model is down.' } }])
    await test.say('go')
    await test.untilRest()
    const added = test.watched.lean.flatMap(({ event, payload }) =>
      event === 'turn:patch' && payload.patch_type === 'add_content' ? [payload.data] : [],
    )
    const ofNoCall = { tool_call_id: null, tool_name: null, display_name: null }
    expect(added).toEqual([{ type: 'system_notification', content: 'The model is down.', ...ofNoCall }])
  })

  it('blade 88f: whose tools keep failing says why in a turn that failed', async () => {
    const test = await open({ tools: [createFakeTool('boom', { run: () => Promise.reject(new Error('no')) })] })
    for (const index of [1, 2, 3, 4, 5])
      test.model.push([calls(`c${index}`, 'boom', { index }), finishes('tool-calls')])
    await test.say('go')
    await test.untilRest()
    expect(test.watched.story().slice(-7)).toEqual([
      'set_status completed',
      'turn:end assistant completed',
      'turn:start system failed',
      'turn:end system failed',
      'system:error',
      'chat:end failed/tool_error',
      'session:updated',
    ])
    await expectFailure(test, 'The agent stopped: its tools failed 5 times in a row, in the same way.')
  })

  it('blade 88f: that owes a value and never gives it says why in a turn that failed', async () => {
    const toolFor = () => createFakeTool(RESULT_TOOL, { exposed: false, kind: 'result' })
    const test = await open({ outputs: { toolFor, problemOf: async () => undefined } })
    const outputSchema = { type: 'object', required: ['n'] }
    await test.say('go', { settings: { isUnattended: true, outputSchema } })
    await test.untilRest()
    expect(test.watched.story().slice(-5, -1)).toEqual([
      'turn:start system failed',
      'turn:end system failed',
      'system:error',
      'chat:end failed/null',
    ])
    await expectFailure(test, 'The model did not give an answer of the shape that was asked for.')
  })
})

async function expectFailure(test: Awaited<ReturnType<typeof open>>, reason: string): Promise<void> {
  const { engine, user: userId, sessionId } = test
  const turns = await readTurns(engine, { userId, sessionId }, plainDescribe)
  expect(turns.filter(({ status }) => status === 'failed')).toMatchObject([
    { failure_reason: reason, blocks: [{ type: 'system_notification', content: reason }] },
  ])
  await expectLaw(test)
}
