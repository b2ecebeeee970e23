import { asToolCallId, type RecordedEvent, type ConversationMessage } from '@polylogue/engine'
import {
  asRecorded,
  calls,
  createAgentTool,
  createFakeTool,
  finishes,
  given,
  grant,
  result,
  says,
  startSession,
  type TestEngineOptions,
} from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { createAskTool } from '../test-support/ask-tool.ts'
import { createScripts } from '../test-support/create-scripts.ts'
import { findBreaches } from '../test-support/find-breaches.ts'
import { plainDescribe, watchSession } from '../test-support/watch-session.ts'
import { readTurns } from './read-turns.ts'
import { SessionProjection } from './session-projection.ts'

async function open(options: TestEngineOptions, create: Parameters<typeof startSession>[1] = {}) {
  const test = await startSession(options, { access: { type: 'preset' }, ...create })
  const watched = await watchSession(test.engine, test.user, test.sessionId)
  const turns = () => readTurns(test.engine, { userId: test.user, sessionId: test.sessionId }, plainDescribe)
  const callOf = async (id: string) =>
    (await turns()).flatMap(({ tool_calls }) => tool_calls).find((call) => call.id === id)
  return { ...test, watched, turns, callOf }
}

describe('a session that began with a history', () => {
  const seed: readonly ConversationMessage[] = [
    { role: 'system', text: 'Be brief.' },
    { role: 'user', content: 'What is the weather?' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', text: 'hm' },
        { type: 'text', text: 'Let me look.' },
        { type: 'tool-call', toolCallId: asToolCallId('w1'), name: 'weather', input: { city: 'Rome' } },
      ],
    },
    { role: 'tool', toolCallId: asToolCallId('w1'), content: 'sunny' },
    { role: 'assistant', content: 'It is sunny.' },
  ]

  it('shows it as turns', async () => {
    const test = await open({}, { seed })
    expect(
      (await test.turns()).map(({ role, status, blocks }) => [role, status, blocks.map(({ type }) => type)]),
    ).toEqual([
      ['system', 'completed', ['text']],
      ['user', 'completed', ['text']],
      ['assistant', 'completed', ['thinking', 'text', 'tool_use', 'tool_result']],
      ['assistant', 'completed', ['text']],
    ])
    expect(await test.callOf('w1')).toMatchObject({ status: 'done', result: 'sunny', arguments: '{"city":"Rome"}' })
    await test.say('and tomorrow?')
    await test.untilRest()
    expect((await test.turns()).map(({ sequence }) => sequence)).toEqual([0, 1, 2, 3, 4, 5])
    expect(findBreaches(test.watched.lean, { sequence: 0 })).toEqual([])
  })

  it('waits for the client whose calls are open, and continues when it has answered', async () => {
    const clientTools = [{ name: 'weather', description: 'Tells the weather.', parameters: { type: 'object' } }]
    const test = await open({}, { seed: seed.slice(0, 3), clientTools })
    expect(test.watched.projection.status).toBe('waiting_for_input')
    expect(await test.callOf('w1')).toMatchObject({ status: 'awaiting_answer' })
    await test.answer(result('w1', 'rain'))
    await test.untilRest()
    expect(await test.callOf('w1')).toMatchObject({ status: 'done', result: 'rain' })
    expect((await test.turns()).map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => 'completed'))
    expect(test.watched.story()).toEqual([
      'chat:start',
      'tool_result w1 done',
      'set_status completed',
      'turn:end assistant completed',
      'turn:start assistant streaming',
      'add_content text',
      'set_status completed',
      'turn:end assistant completed',
      'chat:end completed/completed',
    ])
  })
})

describe('a step whose server died', () => {
  it('ends with numbers beyond all that may have been used', () => {
    const log = asRecorded([
      given.created(),
      given.admitted('entry_1', 'turn_1'),
      given.turnStarted('turn_1', 'entry_1'),
      { ...given.stepStarted('turn_1', 'entry_2'), reservedBatches: 64 } as RecordedEvent,
      given.takenOver('turn_1', 1),
      {
        ...given.stepEnded('turn_1', 'entry_2', { outcome: 'interrupted', partial: [given.text('half')] }),
        liveBatches: 65,
      } as RecordedEvent,
    ])
    const projection = new SessionProjection(plainDescribe)
    const told = log.flatMap((recorded) => projection.apply(recorded))
    const patches = told.flatMap((output) => (output.event === 'turn:patch' ? [output.payload] : []))
    expect(patches).toMatchObject([{ sequence: 66, patch_type: 'set_status', data: { status: 'interrupted' } }])
    expect(projection.turns.at(-1)?.blocks).toMatchObject([{ type: 'text', content: 'half' }])
  })
})

describe('a run that fails before its first step', () => {
  it('says why in a turn of its own', () => {
    const log = asRecorded([
      given.created(),
      given.admitted('entry_1', 'turn_1'),
      given.turnStarted('turn_1', 'entry_1'),
      {
        ...given.turnEnded('turn_1', 'failed'),
        error: { code: 'agent-gone', message: 'The agent is no longer offered.' },
      } as RecordedEvent,
    ])
    const projection = new SessionProjection(plainDescribe)
    for (const recorded of log) projection.apply(recorded)
    expect(projection.turns.at(-1)).toMatchObject({
      sequence: 1,
      role: 'system',
      status: 'failed',
      failure_reason: 'The agent is no longer offered.',
      blocks: [{ type: 'system_notification', content: 'The agent is no longer offered.' }],
    })
  })
})

describe('several things that wait', () => {
  it('in one turn are answered one by one, and the turn stays paused until the last', async () => {
    const test = await open({ tools: [createAskTool(), createFakeTool('w', { effect: 'unsafe' })] })
    test.model.push([calls('q', 'AskUserQuestion'), calls('a', 'w'), finishes('tool-calls')])
    await test.say('go')
    await test.untilRest()
    await test.answer(result('q', 'yes'))
    await test.untilRest()
    expect((await test.turns())[1]).toMatchObject({ status: 'paused' })
    expect(await test.callOf('ask_a')).toMatchObject({ status: 'awaiting_answer' })
    await test.answer(grant('a'))
    await test.untilRest()
    expect((await test.turns()).map(({ status }) => status)).toEqual(['completed', 'completed', 'completed'])
    expect(findBreaches(test.watched.plain, { sequence: 0 })).toEqual([])
  })

  it('in a sub-agent are named to its parent one after the other', async () => {
    const model = createScripts({
      go: [[calls('p', 'Agent', { description: 'a job', prompt: 'both' }), finishes('tool-calls')]],
      both: [
        [calls('q', 'AskUserQuestion'), calls('a', 'w'), finishes('tool-calls')],
        [says('fine'), finishes()],
      ],
    })
    const tools = [createAgentTool(), createAskTool(), createFakeTool('w', { effect: 'unsafe' })]
    const test = await open({ model, tools })
    const waitsFor = async () => (await test.callOf('p'))?.pending_question_ref?.child_tool_call_id
    await test.say('go')
    await test.untilRest()
    expect(await waitsFor()).toBe('q')
    expect(JSON.parse((await test.callOf('ask_a'))?.arguments ?? '')).toMatchObject({
      source_loop: { description: 'a job' },
    })
    await test.answer(result('q', 'yes'))
    await test.untilRest()
    expect(await waitsFor()).toBe('ask_a')
    await test.answer(grant('a'))
    await test.untilRest()
    expect(await test.callOf('p')).toMatchObject({ status: 'done', result: 'fine', pending_question_ref: null })
    expect(findBreaches(test.watched.plain, { sequence: 0 })).toEqual([])
  })

  it('do not keep a parallel sub-agent from working, and are shown immediately', async () => {
    const goOn = Promise.withResolvers<void>()
    const model = createScripts({
      go: [
        [
          calls('asker', 'Agent', { description: 'asks', prompt: 'ask' }),
          calls('worker', 'Agent', { description: 'works', prompt: 'work' }),
          finishes('tool-calls'),
        ],
      ],
      ask: [[calls('q', 'AskUserQuestion'), finishes('tool-calls')]],
      work: [[() => goOn.promise, says('worked'), finishes()]],
    })
    const test = await open({ model, tools: [createAgentTool(), createAskTool()] })
    await test.say('go')
    await expect.poll(() => test.callOf('asker')).toMatchObject({ status: 'awaiting_answer' })
    expect(await test.callOf('worker')).toMatchObject({ status: 'pending' })
    expect((await test.turns())[1]).toMatchObject({ status: 'streaming' })
    const { user: userId, sessionId } = test
    const answers = [result('q', 'yes')]
    await test.engine.execute({ type: 'answer-calls', userId, sessionId, answers, whenRunning: 'accept' })
    goOn.resolve()
    await test.untilRest()
    expect(await test.callOf('asker')).toMatchObject({ status: 'done' })
    expect(findBreaches(test.watched.plain, { sequence: 0 })).toEqual([])
  })
})
