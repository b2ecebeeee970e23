import { describe, expect, it } from 'vitest'
import {
  calls,
  createFakeTool,
  createTestEngine,
  finishes,
  says,
  thinks,
  type TestEngineOptions,
} from '@polylogue/testkit'
import { asToolCallId, type CreateSession, type RecordedEvent, type SessionId } from '../index.ts'

const types = (events: readonly RecordedEvent[]): string[] => events.map((event) => event.type)

async function start(options: TestEngineOptions, create: Partial<CreateSession> = {}) {
  const test = createTestEngine(options)
  const { sessionId } = await test.engine.execute({
    type: 'create-session',
    userId: test.user,
    agent: 'tester',
    access: {
      type: 'listed',
      tools: (options.tools ?? []).filter((tool) => tool.exposed).map(({ name }) => ({ name, trust: true })),
    },
    ...create,
  })
  const say = (content: string, whenRunning: 'refuse' | 'queue' = 'refuse') =>
    test.engine.execute({ type: 'start-turn', userId: test.user, sessionId, content, whenRunning })
  return { ...test, sessionId, say }
}

const waitingCalls = async (
  test: { engine: Awaited<ReturnType<typeof start>>['engine']; user: Awaited<ReturnType<typeof start>>['user'] },
  id: SessionId,
) => (await test.engine.readSession(test.user, id)).waitingCalls

describe('a turn', () => {
  it('records what it does and nothing of the stream', async () => {
    const test = await start({})
    test.model.push([thinks('hm'), says('Hel'), says('lo'), finishes()])
    await test.say('hi')
    await test.rest(test.sessionId)
    const events = await test.recorded(test.sessionId)
    expect(types(events)).toEqual([
      'session.created',
      'input.admitted',
      'turn.started',
      'step.started',
      'step.answered',
      'step.ended',
      'turn.ended',
    ])
    expect(events[4]).toMatchObject({
      blocks: [
        { type: 'thinking', text: 'hm' },
        { type: 'text', text: 'Hello' },
      ],
    })
    expect(events[6]).toMatchObject({ outcome: 'finished' })
  })

  it('runs trusted calls side by side and gives their results to the model', async () => {
    const gate = Promise.withResolvers<void>()
    const slow = createFakeTool('slow', { run: async () => (await gate.promise, { content: 'slow done' }) })
    const fast = createFakeTool('fast', { run: () => (gate.resolve(), { content: 'fast done' }) })
    const test = await start({ tools: [slow, fast] })
    test.model.push([calls('a', 'slow'), calls('b', 'fast'), finishes('tool-calls')], [says('ok'), finishes()])
    await test.say('go')
    await test.rest(test.sessionId)
    expect(types(await test.recorded(test.sessionId)).slice(3)).toEqual([
      'step.started',
      'step.answered',
      'tool-call.started',
      'tool-call.started',
      'tool-call.settled',
      'tool-call.settled',
      'step.ended',
      'step.started',
      'step.answered',
      'step.ended',
      'turn.ended',
    ])
    expect(test.model.requests[1]?.messages.slice(2)).toMatchObject([
      { role: 'tool', toolCallId: 'b', content: 'fast done' },
      { role: 'tool', toolCallId: 'a', content: 'slow done' },
    ])
  })

  it('asks before an untrusted tool runs, and runs it once with the stored input when granted', async () => {
    const tool = createFakeTool('write', { effect: 'unsafe' })
    const test = await start({ tools: [tool] }, { access: { type: 'listed', tools: [{ name: 'write' }] } })
    test.model.push([calls('w', 'write', { path: 'a' }), finishes('tool-calls')])
    await test.say('write it')
    await test.rest(test.sessionId)
    expect(tool.invocations).toEqual([])
    expect(await waitingCalls(test, test.sessionId)).toEqual(['w'])
    const answer = {
      type: 'answer-calls',
      userId: test.user,
      sessionId: test.sessionId,
      whenRunning: 'refuse',
    } as const
    await test.engine.execute({
      ...answer,
      answers: [{ type: 'approval', toolCallId: asToolCallId('w'), granted: true }],
    })
    await test.rest(test.sessionId)
    expect(tool.invocations.map(({ input }) => input)).toEqual([{ path: 'a' }])
    expect(types(await test.recorded(test.sessionId)).slice(5)).toEqual([
      'approval.requested',
      'turn.paused',
      'turn.resumed',
      'approval.resolved',
      'tool-call.started',
      'tool-call.settled',
      'step.ended',
      'step.started',
      'step.answered',
      'step.ended',
      'turn.ended',
    ])
  })

  it('cancels what waits when the user says something new', async () => {
    const test = await start({ tools: [createFakeTool('t')] }, { access: { type: 'listed', tools: [{ name: 't' }] } })
    test.model.push([calls('x', 't'), finishes('tool-calls')])
    await test.say('first')
    await test.rest(test.sessionId)
    await test.say('second')
    await test.rest(test.sessionId)
    expect(test.model.requests[1]?.messages).toMatchObject([
      { role: 'user', content: 'first' },
      { role: 'assistant' },
      { role: 'tool', toolCallId: 'x', content: 'Tool call cancelled: superseded by a new user message' },
      { role: 'user', content: 'second' },
    ])
  })

  it('refuses or queues input while it runs, as the door wants', async () => {
    const gate = Promise.withResolvers<void>()
    const test = await start({})
    test.model.push([says('one'), () => gate.promise, finishes()])
    await test.say('first')
    await expect(test.say('second')).rejects.toMatchObject({ code: 'session-busy' })
    const queued = await test.say('third', 'queue')
    expect(queued.queued).toBe(true)
    gate.resolve()
    await test.rest(test.sessionId)
    await expect.poll(() => test.model.requests.length).toBe(2)
    await test.rest(test.sessionId)
    expect(test.model.requests[1]?.messages.at(-1)).toEqual({ role: 'user', content: 'third' })
  })

  it('takes eight queued inputs and refuses the ninth', async () => {
    const gate = Promise.withResolvers<void>()
    const test = await start({})
    test.model.push([() => gate.promise, finishes()])
    await test.say('first')
    for (let index = 0; index < 8; index++) await test.say(`queued ${index}`, 'queue')
    await expect(test.say('one more', 'queue')).rejects.toMatchObject({ code: 'queue-full' })
    gate.resolve()
  })

  it('keeps the text of a cancelled step and shows it to the model later', async () => {
    const streaming = Promise.withResolvers<void>()
    const test = await start({})
    test.model.push([
      says('half an ans'),
      (_request, signal) => (
        streaming.resolve(),
        new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
      ),
    ])
    await test.say('go')
    await streaming.promise
    const cancel = {
      type: 'cancel-turn',
      userId: test.user,
      sessionId: test.sessionId,
      reason: 'user',
      dropQueue: false,
    } as const
    expect(await test.engine.execute(cancel)).toEqual({ cancelled: true })
    await test.rest(test.sessionId)
    expect((await test.recorded(test.sessionId)).slice(-2)).toMatchObject([
      { type: 'step.ended', outcome: 'cancelled', partial: [{ type: 'text', text: 'half an ans' }] },
      { type: 'turn.ended', outcome: 'cancelled' },
    ])
    expect(await test.engine.execute(cancel)).toEqual({ cancelled: false })
    await test.say('again')
    await test.rest(test.sessionId)
    expect(test.model.requests[1]?.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ text: 'half an ans' }] },
      { role: 'user' },
    ])
  })

  it('does not wait for a tool that ignores a cancel', async () => {
    const running = Promise.withResolvers<void>()
    const stubborn = createFakeTool('stubborn', { run: () => (running.resolve(), new Promise(() => undefined)) })
    const test = await start({ tools: [stubborn] })
    test.model.push([calls('s', 'stubborn'), finishes('tool-calls')])
    await test.say('go')
    await running.promise
    await test.engine.execute({
      type: 'cancel-turn',
      userId: test.user,
      sessionId: test.sessionId,
      reason: 'user',
      dropQueue: false,
    })
    await test.rest(test.sessionId)
    expect((await test.recorded(test.sessionId)).slice(-3)).toMatchObject([
      { type: 'tool-call.settled', status: 'cancelled' },
      { type: 'step.ended', outcome: 'completed' },
      { type: 'turn.ended', outcome: 'cancelled' },
    ])
  })

  it('ends as failed when the model fails, and the failed text is kept but not shown to the model', async () => {
    const test = await start({})
    test.model.push([says('so far'), { type: 'failed', error: { code: 'model-down', message: 'The model is away.' } }])
    await test.say('go')
    await test.rest(test.sessionId)
    await test.say('again')
    await test.rest(test.sessionId)
    expect(test.model.requests[1]?.messages).toEqual([
      { role: 'user', content: 'go' },
      { role: 'user', content: 'again' },
    ])
    expect(await test.engine.readHistory(test.user, test.sessionId, 'full')).toEqual([
      { role: 'user', content: 'go' },
      { role: 'assistant', content: [{ type: 'text', text: 'so far' }] },
      { role: 'user', content: 'again' },
      { role: 'assistant', content: [{ type: 'text', text: 'done' }] },
    ])
  })

  it('ends as failed when the stream ends without a finish', async () => {
    const test = await start({})
    test.model.push([says('cut')])
    await test.say('go')
    await test.rest(test.sessionId)
    expect((await test.recorded(test.sessionId)).at(-1)).toMatchObject({
      type: 'turn.ended',
      outcome: 'failed',
      error: { code: 'model-cut-off' },
    })
  })

  it.each([
    ['tool calls', Array.from({ length: 501 }, (_, index) => calls(`c${index}`, 't')), '500 tool calls'],
    [
      'begun calls',
      Array.from(
        { length: 501 },
        (_, index) => ({ type: 'tool-input', id: `c${index}`, name: 't', text: '' }) as const,
      ),
      '500 tool calls',
    ],
    [
      'parts',
      Array.from({ length: 5_001 }, () => [says('a'), { type: 'thinking', text: 'b' } as const]).flat(),
      '10000 parts',
    ],
  ])('ends as failed when an answer has too many %s, and runs none of its calls', async (_, answer, most) => {
    const test = await start({ tools: [createFakeTool('t')] })
    test.model.push([...answer, finishes('tool-calls')])
    await test.say('go')
    await test.rest(test.sessionId)
    const recorded = await test.recorded(test.sessionId)
    expect(recorded.at(-1)).toMatchObject({
      type: 'turn.ended',
      outcome: 'failed',
      error: { code: 'model-error', message: `The model's answer has more than ${most}.` },
    })
    expect(recorded.filter(({ type }) => type === 'tool-call.started')).toEqual([])
  })

  it('stops at the step limit', async () => {
    const test = await start({ tools: [createFakeTool('t')], maxSteps: 3 })
    for (let index = 0; index < 5; index++) test.model.push([calls(`c${index}`, 't'), finishes('tool-calls')])
    await test.say('loop')
    await test.rest(test.sessionId)
    expect(test.model.requests.length).toBe(3)
    expect((await test.recorded(test.sessionId)).at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'step-limit' })
  })

  it('answers calls that cannot run with a sentence for the model and continues', async () => {
    const off = createFakeTool('off')
    const test = await start(
      { tools: [off, createFakeTool('on')] },
      { access: { type: 'listed', tools: [{ name: 'on', trust: true }] } },
    )
    test.model.push([calls('1', 'off'), calls('2', 'nobody'), calls('3', 'on', { bad: true }), finishes('tool-calls')])
    await test.say('go')
    await test.rest(test.sessionId)
    expect(off.invocations).toEqual([])
    expect(test.model.requests[1]?.messages.slice(2).map((message) => message.content)).toEqual([
      'Error: the tool off is not enabled in this session',
      'Error: there is no tool called nobody',
      'Error: invalid input for on: bad: must not be true',
    ])
  })

  it('never runs a call whose input is not a JSON object, for any kind of tool', async () => {
    const tool = createFakeTool('any')
    const test = await start({ tools: [tool] }, { clientTools: [{ name: 'mine', description: '', parameters: {} }] })
    test.model.push([calls('1', 'any', '{"cut'), calls('2', 'mine', [1]), finishes('tool-calls')])
    await test.say('go')
    await test.rest(test.sessionId)
    expect(tool.invocations).toEqual([])
    expect(test.model.requests[1]?.messages.slice(2).map((message) => message.content)).toEqual([
      'Error: the input for any was not a JSON object',
      'Error: the input for mine was not a JSON object',
    ])
  })

  it('gives a call a new id when the model reuses one', async () => {
    const test = await start({ tools: [createFakeTool('t')] })
    test.model.push(
      [calls('same', 't'), calls('same', 't'), finishes('tool-calls')],
      [calls('same', 't'), finishes('tool-calls')],
    )
    await test.say('go')
    await test.rest(test.sessionId)
    const ids = (await test.recorded(test.sessionId)).flatMap((event) =>
      event.type === 'tool-call.settled' ? [event.toolCallId] : [],
    )
    expect(ids).toEqual(['same', 'tc_1', 'tc_2'])
  })

  it('never keeps an id that begins with ask_', async () => {
    const test = await start({ tools: [createFakeTool('t')] })
    test.model.push([calls('ask_me', 't'), finishes('tool-calls')])
    await test.say('go')
    await test.rest(test.sessionId)
    expect((await test.recorded(test.sessionId)).find((event) => event.type === 'tool-call.settled')).toMatchObject({
      toolCallId: 'tc_1',
    })
  })
})
