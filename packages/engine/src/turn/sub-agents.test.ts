import { describe, expect, it } from 'vitest'
import {
  calls,
  createFakeTool,
  createTestAgent,
  finishes,
  hangs,
  says,
  untilQuiet,
  type FakeStep,
} from '@polylogue/testkit'
import { createScripts, delegate, start } from './test-support/delegating-session.ts'
import { settled } from './test-support/judged-session.ts'

describe('a sub-agent', () => {
  it('works in a loop of its own, and its last words are the result of its call', async () => {
    const look = createFakeTool('look')
    const test = await start(
      {
        go: [[says('on it'), delegate('a', 'find it'), finishes('tool-calls')]],
        'find it': [
          [calls('b', 'look'), finishes('tool-calls')],
          [says('it is here'), finishes()],
        ],
      },
      { tools: [look] },
    )
    await test.say('go')
    await test.untilRest()
    const events = await test.events()
    expect(events.slice(3)).toMatchObject([
      { type: 'step.started', loopId: 'root' },
      { type: 'step.answered', routes: { a: 'agent' } },
      { type: 'tool-call.started', toolCallId: 'a' },
      {
        type: 'loop.started',
        loopId: 'loop_a',
        parentToolCallId: 'a',
        parentLoopId: 'root',
        depth: 1,
        prompt: 'find it',
      },
      { type: 'step.started', loopId: 'loop_a', parentToolCallId: 'a' },
      { type: 'step.answered', loopId: 'loop_a' },
      { type: 'tool-call.started', toolCallId: 'b', loopId: 'loop_a' },
      { type: 'tool-call.settled', toolCallId: 'b', loopId: 'loop_a' },
      { type: 'step.ended', loopId: 'loop_a' },
      { type: 'step.started', loopId: 'loop_a' },
      { type: 'step.answered', loopId: 'loop_a' },
      { type: 'step.ended', loopId: 'loop_a' },
      { type: 'loop.ended', loopId: 'loop_a', outcome: 'finished' },
      { type: 'tool-call.settled', toolCallId: 'a', status: 'completed', output: 'it is here' },
      { type: 'step.ended' },
      { type: 'step.started', loopId: 'root' },
      { type: 'step.answered' },
      { type: 'step.ended' },
      { type: 'turn.ended', outcome: 'finished' },
    ])
    expect(events[3]).not.toHaveProperty('parentToolCallId')
    expect(events[16]).not.toHaveProperty('loopId')
  })

  it('gets its prompt and nothing of the conversation, and leaves only its result there', async () => {
    const test = await start({
      go: [[delegate('a', 'find it'), finishes('tool-calls')]],
      'find it': [[says('here'), finishes()]],
    })
    await test.say('go')
    await test.untilRest()
    const [, child, after] = test.model.requests
    expect(child?.messages).toEqual([{ role: 'user', content: 'find it' }])
    expect(after?.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool'])
    const history = await test.engine.readHistory(test.user, test.sessionId, 'full')
    expect(history.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  })

  it('works in parallel, each call with its own result', async () => {
    const both = Promise.withResolvers<void>()
    let begun = 0
    const meet = async () => {
      begun += 1
      if (begun === 2) both.resolve()
      await both.promise
    }
    const test = await start({
      go: [[delegate('a', 'left'), delegate('b', 'right'), finishes('tool-calls')]],
      left: [[meet, says('from the left'), finishes()]],
      right: [[meet, says('from the right'), finishes()]],
    })
    await test.say('go')
    await test.untilRest()
    expect(settled(await test.events()).toSorted()).toEqual([
      'a completed: from the left',
      'b completed: from the right',
    ])
  })

  it.each<[string, FakeStep]>([
    ['in one piece', [calls('c1', 'look')]],
    ['bit by bit', [{ type: 'tool-input', id: 'c1', name: 'look', text: '{}' }, calls('c1', 'look')]],
  ])('works beside others whose calls have the same id, written %s', async (_how, lookAround) => {
    const prompts = ['left', 'right', 'front', 'back']
    const all = Promise.withResolvers<void>()
    let begun = 0
    const meet = async () => {
      begun += 1
      if (begun === prompts.length) all.resolve()
      await all.promise
    }
    const test = await start(
      {
        go: [[...prompts.map((prompt) => delegate(`to-${prompt}`, prompt)), finishes('tool-calls')]],
        ...Object.fromEntries(prompts.map((prompt) => [prompt, [[meet, ...lookAround, finishes('tool-calls')]]])),
      },
      { tools: [createFakeTool('look')] },
    )
    await test.say('go')
    await test.untilRest()
    const events = await test.events()
    const looked = events.flatMap((event) => (event.type === 'tool-call.settled' && event.loopId ? [event] : []))
    expect(new Set(looked.map(({ toolCallId }) => toolCallId)).size).toBe(prompts.length)
    expect(events.at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'finished' })
  })

  it('may have sub-agents of its own, three deep and no deeper', async () => {
    const down = (id: string, prompt: string): FakeStep[] => [[delegate(id, prompt), finishes('tool-calls')]]
    const test = await start({
      go: down('a', 'one'),
      one: down('b', 'two'),
      two: down('c', 'three'),
      three: down('d', 'four'),
    })
    await test.say('go')
    await test.untilRest()
    expect(settled(await test.events())).toEqual([
      'd failed: Error: sub-agents nest 3 deep at most',
      'c completed: done',
      'b completed: done',
      'a completed: done',
    ])
    const offered = test.model.requests.map(({ tools }) => tools.some(({ name }) => name === 'Agent'))
    expect(offered).toEqual([true, true, true, false, false, true, true, true])
  })

  it('that fails, fails its call and not the turn, and its text is kept', async () => {
    const error = { code: 'model-down', message: 'The model is away.' }
    const test = await start({
      go: [[delegate('a', 'find it'), finishes('tool-calls')]],
      'find it': [[says('nearly'), { type: 'failed', error }]],
    })
    await test.say('go')
    await test.untilRest()
    const events = await test.events()
    expect(settled(events)).toEqual([
      'a failed: The sub-agent failed: The model is away.\n\nBefore that it had said:\nnearly',
    ])
    expect(events.at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'finished' })
  })

  it('must be an agent that is offered', async () => {
    const test = await start({ go: [[delegate('a', 'dig', { agent: 'digger' }), finishes('tool-calls')]] })
    await test.say('go')
    await test.untilRest()
    expect(settled(await test.events())).toEqual(['a failed: Error: there is no agent called digger'])
  })

  it('of another definition has its instructions, its model and its limit', async () => {
    const model = createScripts({
      dig: [
        [says('digging'), calls('b', 'look'), finishes('tool-calls')],
        [calls('c', 'look'), finishes('tool-calls')],
      ],
    })
    const look = createFakeTool('look')
    const digger = createTestAgent({ name: 'digger', instructions: 'Dig.', model, tools: [look], maxSteps: 2 })
    const test = await start(
      { go: [[delegate('a', 'dig', { agent: 'digger' }), finishes('tool-calls')]] },
      { tools: [look], others: [digger] },
    )
    await test.say('go')
    await test.untilRest()
    expect(model.requests.map(({ system }) => system)).toEqual(['Dig.', 'Dig.'])
    expect(settled(await test.events()).at(-1)).toBe(
      'a failed: The sub-agent stopped at its step limit.\n\nBefore that it had said:\ndigging',
    )
  })

  it('that takes too long is stopped at its deadline, and its text is kept', async () => {
    const digger = createTestAgent({
      name: 'digger',
      model: createScripts({ dig: [[says('so far'), hangs, finishes()]] }),
      deadlineMs: 60_000,
    })
    const test = await start(
      { go: [[delegate('a', 'dig', { agent: 'digger' }), finishes('tool-calls')]] },
      { others: [digger] },
    )
    await test.say('go')
    await untilQuiet()
    test.clock.advance(60_000)
    await test.untilRest()
    const events = await test.events()
    expect(settled(events)).toEqual(['a failed: The sub-agent ran out of time.\n\nBefore that it had said:\nso far'])
    expect(events.filter(({ type }) => type === 'loop.ended')).toMatchObject([{ outcome: 'deadline' }])
    expect(events.at(-1)).toMatchObject({ outcome: 'finished' })
  })

  it('that is cancelled alone leaves the turn to continue with what there is', async () => {
    const test = await start({
      go: [[delegate('a', 'left'), delegate('b', 'right'), finishes('tool-calls')]],
      left: [[says('so far'), hangs]],
      right: [[says('from the right'), finishes()]],
    })
    await test.say('go')
    await untilQuiet()
    const { sessionId, user: userId } = test
    const cancelled = await test.engine.execute({
      type: 'cancel-call',
      userId,
      sessionId,
      toolCallId: 'a' as never,
      reason: 'enough',
    })
    await test.untilRest()
    expect(cancelled).toEqual({ cancelled: true })
    expect(settled(await test.events())).toEqual([
      'b completed: from the right',
      'a cancelled: The sub-agent was cancelled.\n\nBefore that it had said:\nso far',
    ])
    expect((await test.view()).lastOutcome).toBe('finished')
  })

  it('ends with a cancelled turn at any depth, and its text is kept', async () => {
    const test = await start({
      go: [[delegate('a', 'one'), finishes('tool-calls')]],
      one: [[delegate('b', 'two'), finishes('tool-calls')]],
      two: [[says('so far'), hangs]],
    })
    await test.say('go')
    await untilQuiet()
    await test.cancel()
    await test.untilRest()
    const events = await test.events()
    expect(events.slice(-9).map((event) => `${event.type}${'outcome' in event ? ` ${event.outcome}` : ''}`)).toEqual([
      'turn.cancel-requested',
      'step.ended cancelled',
      'loop.ended cancelled',
      'tool-call.settled',
      'step.ended completed',
      'loop.ended cancelled',
      'tool-call.settled',
      'step.ended completed',
      'turn.ended cancelled',
    ])
    expect(events.some((event) => event.type === 'step.ended' && event.partial !== undefined)).toBe(true)
  })
})
