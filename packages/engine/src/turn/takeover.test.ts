import { describe, expect, it } from 'vitest'
import { asToolCallId } from '../ids.ts'
import {
  calls,
  createFakeClock,
  createFakeModel,
  createFakeTool,
  createMemoryEventStore,
  createProcessStore,
  createReaderLog,
  createTestEngine,
  deny,
  finishes,
  grant,
  hangs,
  restart,
  says,
  settledCalls,
  startSession,
  thinks,
  untilQuiet,
  useSession,
  type TestSession,
} from '@polylogue/testkit'

const hangingModel = () => createFakeModel([hangs])

const afterTakeover = async (test: TestSession) => {
  const types = await test.types()
  return types.slice(types.lastIndexOf('turn.taken-over'))
}

describe('a process that came for one errand', () => {
  const leave = async () => {
    const first = await startSession({ model: hangingModel() })
    await first.say('go')
    await untilQuiet()
    return first
  }

  it('leaves the turns of a dead process alone until somebody turns to their session', async () => {
    const first = await leave()
    const second = createTestEngine({ store: first.store, clock: first.clock })
    await second.engine.start('used')
    await second.engine.listSessions(second.user, { limit: 10 })
    await second.engine.readHistory(second.user, first.sessionId, 'full')
    await untilQuiet()
    expect((await first.types()).at(-1)).toBe('step.started')

    await second.rest(first.sessionId)
    expect((await first.events()).at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'finished' })
  })

  it('leaves a turn alone whose agent it does not know', async () => {
    const first = await leave()
    const second = createTestEngine({ store: first.store, clock: first.clock, agentName: 'another' })
    await second.engine.start('used')
    const reader = createReaderLog()
    await second.engine.attach(second.user, first.sessionId, { after: { seq: 0 }, reader })
    await untilQuiet()
    expect((await first.types()).at(-1)).toBe('step.started')
  })
})

describe('a turn whose process died', () => {
  it('keeps the text of the unfinished step and asks the model again', async () => {
    const first = await startSession()
    first.model.push([thinks('let me see'), says('half an'), says(' answer'), hangs])
    await first.say('go')
    await untilQuiet()
    first.clock.advance(250)
    await untilQuiet()

    const second = await restart(first)
    await second.untilRest()
    expect((await second.events()).slice(3)).toMatchObject([
      { type: 'step.started' },
      { type: 'turn.taken-over', count: 1 },
      {
        type: 'step.ended',
        outcome: 'interrupted',
        partial: [
          { type: 'thinking', text: 'let me see' },
          { type: 'text', text: 'half an answer' },
        ],
      },
      { type: 'step.started' },
      { type: 'step.answered', blocks: [{ type: 'text', text: 'done' }] },
      { type: 'step.ended', outcome: 'completed' },
      { type: 'turn.ended', outcome: 'finished' },
    ])
    expect(await second.store.readDrafts(second.sessionId)).toEqual([])
  })

  it('asks the model again without the interrupted text, which the transcript still shows', async () => {
    const first = await startSession()
    first.model.push([says('half'), hangs])
    await first.say('go')
    await untilQuiet()
    first.clock.advance(250)
    await untilQuiet()
    const second = await restart(first)
    await second.untilRest()
    expect(second.model.requests[0]?.messages).toEqual([{ role: 'user', content: 'go' }])
    expect(await second.engine.readHistory(second.user, second.sessionId, 'full')).toEqual([
      { role: 'user', content: 'go' },
      { role: 'assistant', content: [{ type: 'text', text: 'half' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'done' }] },
    ])
  })

  it('ends the interrupted step without text when no draft was saved', async () => {
    const first = await startSession()
    first.model.push([says('lost'), hangs])
    await first.say('go')
    await untilQuiet()
    const second = await restart(first)
    await second.untilRest()
    const ended = (await second.events()).find((event) => event.type === 'step.ended')
    expect(ended).toMatchObject({ outcome: 'interrupted' })
    expect(ended).not.toHaveProperty('partial')
  })

  it.each(['readonly', 'idempotent'] as const)(
    'runs a %s call in flight again, as its second attempt',
    async (effect) => {
      const first = await startSession({ tools: [createFakeTool('t', { effect, run: hangs })] })
      first.model.push([calls('c', 't', { n: 1 }), finishes('tool-calls')])
      await first.say('go')
      await untilQuiet()
      const tool = createFakeTool('t', { effect })
      const second = await restart(first, { tools: [tool] })
      await second.untilRest()
      expect(tool.invocations).toMatchObject([{ toolCallId: 'c', input: { n: 1 }, attempt: 2 }])
      expect((await second.events()).slice(5)).toMatchObject([
        { type: 'tool-call.started', attempt: 1 },
        { type: 'turn.taken-over' },
        { type: 'tool-call.started', attempt: 2 },
        { type: 'tool-call.settled', status: 'completed', output: 't ran' },
        { type: 'step.ended', outcome: 'completed' },
        { type: 'step.started' },
        { type: 'step.answered' },
        { type: 'step.ended' },
        { type: 'turn.ended', outcome: 'finished' },
      ])
    },
  )

  it('never runs an unsafe call in flight again and tells the model that its outcome is unknown', async () => {
    const first = await startSession({ tools: [createFakeTool('pay', { effect: 'unsafe', run: hangs })] })
    first.model.push([calls('p', 'pay'), finishes('tool-calls')])
    await first.say('pay')
    await untilQuiet()
    const tool = createFakeTool('pay', { effect: 'unsafe' })
    const second = await restart(first, { tools: [tool] })
    await second.untilRest()
    expect(tool.invocations).toEqual([])
    expect(settledCalls(await second.events())).toEqual([['p', 'unknown']])
    expect(second.model.requests[0]?.messages.at(-1)).toMatchObject({
      role: 'tool',
      toolCallId: 'p',
      content: expect.stringMatching(/^Outcome unknown/),
      isError: true,
    })
  })

  it('settles only the unsafe one of several calls in flight and runs the others again', async () => {
    const tools = (run?: () => Promise<never>) => [
      createFakeTool('look', { effect: 'readonly', ...(run && { run }) }),
      createFakeTool('put', { effect: 'idempotent', ...(run && { run }) }),
      createFakeTool('pay', { effect: 'unsafe', ...(run && { run }) }),
    ]
    const first = await startSession({ tools: tools(hangs) })
    first.model.push([calls('1', 'look'), calls('2', 'put'), calls('3', 'pay'), finishes('tool-calls')])
    await first.say('go')
    await untilQuiet()
    const second = await restart(first, { tools: tools() })
    await second.untilRest()
    expect(settledCalls(await second.events())).toEqual([
      ['3', 'unknown'],
      ['1', 'completed'],
      ['2', 'completed'],
    ])
  })

  it('starts a call that was asked for but had not begun', async () => {
    const first = await startSession({ model: hangingModel(), tools: [createFakeTool('pay')] })
    const { store, sessionId } = first
    await first.say('pay')
    await untilQuiet()
    const events = await first.events()
    const step = events.find((event) => event.type === 'step.started')
    // Earlier versions recorded the start of a call after the answer.
    const blocks = [{ type: 'tool-call', toolCallId: asToolCallId('p'), name: 'pay', input: {} }] as const
    const usage = { inputTokens: 1, outputTokens: 1 }
    const answered = { type: 'step.answered', blocks, routes: { p: 'server' }, finish: 'tool-calls', usage } as const
    const at = first.clock.now()
    const { turnId, stepId } = step!
    const request = {
      sessionId,
      at,
      expectedSeq: events.length,
      events: [{ ...answered, turnId, stepId }],
      wanted: true,
    }
    await store.append({ ...request, names: ['p'] })
    const tool = createFakeTool('pay', { effect: 'unsafe' })
    const second = await restart(first, { tools: [tool] })
    await second.untilRest()
    expect(tool.invocations).toMatchObject([{ toolCallId: 'p', attempt: 1 }])
    expect((await second.types()).slice(3)).toEqual([
      'step.started',
      'step.answered',
      'turn.taken-over',
      'tool-call.started',
      'tool-call.settled',
      'step.ended',
      'step.started',
      'step.answered',
      'step.ended',
      'turn.ended',
    ])
  })

  it('does not start a call again whose start was recorded with the answer', async () => {
    const clock = createFakeClock()
    const store = createMemoryEventStore({ clock })
    const process = createProcessStore(store)
    const first = await startSession({ store: process, clock, tools: [createFakeTool('pay', { effect: 'unsafe' })] })
    first.model.push([calls('p', 'pay'), () => process.dieAfterWrites(1), finishes('tool-calls')])
    await first.say('pay')
    await untilQuiet()
    const tool = createFakeTool('pay', { effect: 'unsafe' })
    const second = await restart(first, { store, tools: [tool] })
    await second.untilRest()
    expect(tool.invocations).toEqual([])
    expect((await second.events()).slice(3)).toMatchObject([
      { type: 'step.started' },
      { type: 'step.answered' },
      { type: 'tool-call.started', attempt: 1 },
      { type: 'turn.taken-over' },
      { type: 'tool-call.settled', status: 'unknown' },
      { type: 'step.ended' },
      { type: 'step.started' },
      { type: 'step.answered' },
      { type: 'step.ended' },
      { type: 'turn.ended' },
    ])
  })

  it('runs a call that was granted before the crash, without asking again', async () => {
    const clock = createFakeClock()
    const store = createMemoryEventStore({ clock })
    const process = createProcessStore(store)
    const access = { type: 'listed', tools: [{ name: 'pay' }] } as const
    const first = await startSession(
      { store: process, clock, tools: [createFakeTool('pay', { effect: 'unsafe' })] },
      { access },
    )
    first.model.push([calls('p', 'pay'), finishes('tool-calls')])
    await first.say('pay')
    await untilQuiet()
    process.dieAfterWrites(1)
    void first.answer(grant('p'))
    await untilQuiet()
    const tool = createFakeTool('pay', { effect: 'unsafe' })
    const second = await restart(first, { store, tools: [tool] })
    await second.untilRest()
    expect(tool.invocations.length).toBe(1)
    expect((await second.types()).filter((type) => type === 'approval.requested').length).toBe(1)
  })

  it('goes on with the next step when it died between two', async () => {
    const clock = createFakeClock()
    const store = createMemoryEventStore({ clock })
    const process = createProcessStore(store)
    const tool = createFakeTool('t', { run: () => (process.dieAfterWrites(1), { content: 'ran' }) })
    const first = await startSession({ store: process, clock, tools: [tool] })
    first.model.push([calls('c', 't'), finishes('tool-calls')])
    await first.say('go')
    await untilQuiet()
    const second = await restart(first, { store, tools: [createFakeTool('t')] })
    await second.untilRest()
    expect(await afterTakeover(second)).toEqual([
      'turn.taken-over',
      'step.ended',
      'step.started',
      'step.answered',
      'step.ended',
      'turn.ended',
    ])
    expect(second.model.requests[0]).toMatchObject({ step: 1 })
  })

  it('runs from the beginning when it died right after the input was stored', async () => {
    const clock = createFakeClock()
    const store = createMemoryEventStore({ clock })
    const process = createProcessStore(store)
    const first = await startSession({ store: process, clock })
    process.dieAfterWrites(1)
    void first.say('go')
    await untilQuiet()
    const second = await restart(first, { store })
    await second.untilRest()
    expect(await second.types()).toEqual([
      'session.created',
      'input.admitted',
      'turn.started',
      'step.started',
      'turn.taken-over',
      'step.ended',
      'step.started',
      'step.answered',
      'step.ended',
      'turn.ended',
    ])
  })

  it('ends as cancelled when a cancel was recorded before the crash, and keeps the text', async () => {
    const clock = createFakeClock()
    const store = createMemoryEventStore({ clock })
    const process = createProcessStore(store)
    const first = await startSession({ store: process, clock })
    first.model.push([says('half'), hangs])
    await first.say('go')
    await untilQuiet()
    clock.advance(250)
    await untilQuiet()
    process.dieAfterWrites(1)
    void first.cancel()
    await untilQuiet()
    const second = await restart(first, { store })
    await untilQuiet()
    expect((await second.events()).slice(4)).toMatchObject([
      { type: 'turn.cancel-requested' },
      { type: 'turn.taken-over' },
      { type: 'step.ended', outcome: 'cancelled', partial: [{ type: 'text', text: 'half' }] },
      { type: 'turn.ended', outcome: 'cancelled' },
    ])
    expect(second.model.requests).toEqual([])
  })

  it('goes on to the queued input after the taken-over turn ends', async () => {
    const first = await startSession()
    first.model.push([hangs])
    await first.say('one')
    await first.say('two', { whenRunning: 'queue' })
    await first.say('three', { whenRunning: 'queue' })
    await untilQuiet()
    const second = await restart(first)
    await untilQuiet()
    expect(second.model.requests.map(({ messages }) => messages.at(-1)?.content)).toEqual(['one', 'two', 'three'])
    expect((await second.view()).status).toBe('idle')
  })

  it('starts the queue although the taken-over turn is only ended', async () => {
    const first = await startSession({ recovery: 'interrupt' })
    first.model.push([hangs])
    await first.say('one')
    await first.say('two', { whenRunning: 'queue' })
    await untilQuiet()
    const second = await restart(first, { recovery: 'interrupt' })
    await untilQuiet()
    expect(second.model.requests.map(({ messages }) => messages.at(-1)?.content)).toEqual(['two'])
    expect((await second.events()).filter((event) => event.type === 'turn.ended')).toMatchObject([
      { outcome: 'interrupted' },
      { outcome: 'finished' },
    ])
  })

  it('fails after three takeovers, with the reason', async () => {
    let test = await startSession()
    test.model.push([hangs])
    await test.say('go')
    for (let crash = 1; crash <= 3; crash++) {
      await untilQuiet()
      const { model, ...next } = await restart(test, { model: hangingModel() })
      test = { ...next, model }
    }
    await untilQuiet()
    const last = await restart(test)
    await last.untilRest()
    expect(last.model.requests).toEqual([])
    expect((await last.events()).slice(-3)).toMatchObject([
      { type: 'turn.taken-over', count: 4 },
      { type: 'step.ended', outcome: 'failed' },
      { type: 'turn.ended', outcome: 'failed', error: { code: 'failed', message: expect.stringContaining('4 times') } },
    ])
    await last.say('and now?')
    await last.untilRest()
    expect((await last.view()).lastOutcome).toBe('finished')
  })

  it('cluster 31: survives five rolling restarts, because orderly stops do not count', async () => {
    let test = await startSession({ model: hangingModel() })
    await test.say('go')
    for (let stop = 1; stop <= 5; stop++) {
      await untilQuiet()
      await test.engine.stop(0)
      const { model, ...next } = await restart(test, stop < 5 ? { model: hangingModel() } : {})
      test = { ...next, model }
    }
    await test.untilRest()
    const events = await test.events()
    expect(
      events.filter(({ type }) => type === 'turn.taken-over').map((event) => 'count' in event && event.count),
    ).toEqual([0, 0, 0, 0, 0])
    expect(events.at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'finished' })
  })

  it('cluster 38: survives any number of storage outages of its own process', async () => {
    const clock = createFakeClock()
    const store = createMemoryEventStore({ clock })
    const test = await startSession({ store, clock })
    for (let outage = 1; outage <= 5; outage++) {
      test.model.push([says('half'), () => store.failWrites('busy'), finishes()])
    }
    await test.say('go')
    for (let outage = 1; outage <= 5; outage++) {
      await untilQuiet()
      store.failWrites(undefined)
      test.clock.advance(1_000)
    }
    await test.untilRest()
    const events = await test.events()
    expect(events.filter(({ type }) => type === 'turn.taken-over')).toHaveLength(5)
    expect(events.filter((event) => event.type === 'turn.taken-over' && event.count > 0)).toEqual([])
    expect(events.at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'finished' })
  })

  it('ends as interrupted where the configuration wants that', async () => {
    const first = await startSession({ recovery: 'interrupt' })
    first.model.push([says('half'), hangs])
    await first.say('go')
    await untilQuiet()
    first.clock.advance(250)
    await untilQuiet()
    const second = await restart(first, { recovery: 'interrupt' })
    await second.untilRest()
    expect(second.model.requests).toEqual([])
    expect((await second.events()).slice(4)).toMatchObject([
      { type: 'turn.taken-over' },
      { type: 'step.ended', outcome: 'interrupted', partial: [{ text: 'half' }] },
      { type: 'turn.ended', outcome: 'interrupted' },
    ])
  })

  it('ends as failed when its agent is no longer offered', async () => {
    const first = await startSession()
    first.model.push([hangs])
    await first.say('go')
    await untilQuiet()
    const second = await restart(first, { agentName: 'somebody-else' })
    await untilQuiet()
    expect((await second.events()).at(-1)).toMatchObject({
      type: 'turn.ended',
      outcome: 'failed',
      error: { message: 'The agent tester is no longer offered.' },
    })
  })
})

describe('a turn that waits for a human', () => {
  const waiting = async () => {
    const tools = [createFakeTool('pay', { effect: 'unsafe' })]
    const first = await startSession({ tools }, { access: { type: 'listed', tools: [{ name: 'pay' }] } })
    first.model.push([calls('p', 'pay', { sum: 3 }), finishes('tool-calls')])
    await first.say('pay')
    await first.untilRest()
    return first
  }

  it('survives a restart untouched', async () => {
    const first = await waiting()
    const before = await first.events()
    const second = await restart(first)
    await untilQuiet()
    expect(await second.events()).toEqual(before)
    expect((await second.view()).waitingCalls).toEqual(['p'])
  })

  it('is answered after the restart and runs with the stored input', async () => {
    const first = await waiting()
    const tool = createFakeTool('pay', { effect: 'unsafe' })
    const second = await restart(first, { tools: [tool] })
    await second.answer(grant('p'))
    await second.untilRest()
    expect(tool.invocations).toMatchObject([{ toolCallId: 'p', input: { sum: 3 }, attempt: 1 }])
    expect(await second.types()).not.toContain('turn.taken-over')
  })

  it('is denied after the restart and nothing runs', async () => {
    const first = await waiting()
    const tool = createFakeTool('pay', { effect: 'unsafe' })
    const second = await restart(first, { tools: [tool] })
    await second.answer(deny('p', 'too much'))
    await second.untilRest()
    expect(tool.invocations).toEqual([])
    expect(second.model.requests[0]?.messages.at(-1)).toMatchObject({ content: 'Tool call denied: too much' })
  })
})

describe('a process beside the one that runs the turn', () => {
  it('takes input but runs nothing while the lease holds', async () => {
    const gate = Promise.withResolvers<void>()
    const first = await startSession()
    first.model.push([() => gate.promise, finishes()])
    await first.say('one')
    await untilQuiet()
    const beside = useSession(createTestEngine({ store: first.store, clock: first.clock }), first.sessionId)
    await beside.say('two', { whenRunning: 'queue' })
    await untilQuiet()
    expect(beside.model.requests).toEqual([])
    gate.resolve()
    await untilQuiet()
    expect(first.model.requests.map(({ messages }) => messages.at(-1)?.content)).toEqual(['one', 'two'])
  })
})

describe('a process that lost its session', () => {
  it('records nothing more, whatever its model and tools still do', async () => {
    const gate = Promise.withResolvers<void>()
    const toolGate = Promise.withResolvers<void>()
    const slow = createFakeTool('slow', { run: async () => (await toolGate.promise, { content: 'from the zombie' }) })
    const first = await startSession({ tools: [slow] })
    first.model.push([calls('s', 'slow'), finishes('tool-calls')])
    await first.say('go')
    await untilQuiet()
    const second = await restart(first, { tools: [createFakeTool('slow')] })
    second.model.push([says('mine'), () => gate.promise, finishes()])
    await untilQuiet()
    const before = await second.events()
    toolGate.resolve()
    await untilQuiet()
    expect(await second.events()).toEqual(before)
    gate.resolve()
    await second.untilRest()
    const events = await second.events()
    expect(settledCalls(events)).toEqual([['s', 'completed']])
    expect(JSON.stringify(events)).not.toContain('from the zombie')
    expect(first.logged.filter(({ level }) => level === 'error')).toEqual([])
  })

  it('cannot save drafts', async () => {
    const first = await startSession()
    const more = Promise.withResolvers<void>()
    first.model.push([says('zombie'), () => more.promise, says(' text'), hangs])
    await first.say('go')
    await untilQuiet()
    const second = await restart(first, { model: hangingModel() })
    await untilQuiet()
    more.resolve()
    await untilQuiet()
    first.clock.advance(250)
    await untilQuiet()
    expect(await second.store.readDrafts(second.sessionId)).toEqual([])
  })

  it('stops its tools as soon as it notices', async () => {
    const stopped: boolean[] = []
    const quick = Promise.withResolvers<void>()
    const tools = [
      createFakeTool('quick', { run: async () => (await quick.promise, { content: '' }) }),
      createFakeTool('long', {
        run: ({ signal }) => (signal.addEventListener('abort', () => stopped.push(true)), hangs()),
      }),
    ]
    const first = await startSession({ tools })
    first.model.push([calls('q', 'quick'), calls('l', 'long'), finishes('tool-calls')])
    await first.say('go')
    await untilQuiet()
    await restart(first, { tools: [createFakeTool('quick', { run: hangs }), createFakeTool('long', { run: hangs })] })
    await untilQuiet()
    quick.resolve()
    await untilQuiet()
    expect(stopped).toEqual([true])
  })

  it('stops its model when the lease is not renewed', async () => {
    let isStopped = false
    const first = await startSession()
    first.model.push([(_request, signal) => (signal.addEventListener('abort', () => (isStopped = true)), hangs())])
    await first.say('go')
    await untilQuiet()
    await restart(first, { model: hangingModel() })
    await untilQuiet()
    first.clock.advance(2_000)
    await untilQuiet()
    expect(isStopped).toBe(true)
  })
})
