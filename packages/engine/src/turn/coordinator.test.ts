import { describe, expect, it } from 'vitest'
import {
  calls,
  createFakeClock,
  createFakeModel,
  createFakeTool,
  createMemoryEventStore,
  createReaderLog,
  finishes,
  hangs,
  restart,
  says,
  settledCalls,
  startSession,
  untilQuiet,
  useSession,
  createTestEngine,
  type TestEngineOptions,
} from '@polylogue/testkit'
import type { EventStore, LogEntry } from '../index.ts'

async function startOnFaultyStore(options: TestEngineOptions = {}) {
  const clock = createFakeClock()
  const store = createMemoryEventStore({ clock })
  const test = await startSession({ ...options, clock, store })
  return { ...test, store }
}

describe('a storage fault in the middle of a turn', () => {
  it('is waited out, and the turn goes on', async () => {
    const test = await startOnFaultyStore()
    test.model.push([says('half'), () => test.store.failWrites('full'), finishes()])
    await test.say('go')
    await untilQuiet()
    expect((await test.view()).status).toBe('running')
    for (let second = 0; second < 5; second++) {
      test.clock.advance(1_000)
      await untilQuiet()
    }
    test.store.failWrites(undefined)
    test.clock.advance(1_000)
    await test.untilRest()
    expect((await test.events()).slice(3)).toMatchObject([
      { type: 'step.started' },
      { type: 'turn.taken-over', count: 0 },
      { type: 'step.ended', outcome: 'interrupted' },
      { type: 'step.started' },
      { type: 'step.answered', blocks: [{ text: 'done' }] },
      { type: 'step.ended' },
      { type: 'turn.ended', outcome: 'finished' },
    ])
    expect(test.logged.some(({ level }) => level === 'error')).toBe(true)
  })

  it('does not run a tool that could not be recorded as started', async () => {
    const tool = createFakeTool('pay', { effect: 'unsafe' })
    const clock = createFakeClock()
    const store = createMemoryEventStore({ clock })
    const failing: EventStore = {
      ...store,
      append: (request) => {
        if (request.events.some((event) => event.type === 'tool-call.started') && tool.invocations.length === 0) {
          store.failWrites('full')
        }
        return store.append(request)
      },
    }
    const test = await startSession({ store: failing, clock, tools: [tool] })
    test.model.push([calls('p', 'pay'), finishes('tool-calls')])
    await test.say('go')
    await untilQuiet()
    expect(tool.invocations).toEqual([])
  })

  it('repairs the turn even when somebody queued an input meanwhile', async () => {
    const clock = createFakeClock()
    const store = createMemoryEventStore({ clock })
    const finish = Promise.withResolvers<void>()
    const test = await startSession({ store, clock, onLog: () => store.failWrites(undefined) })
    test.model.push([says('half'), () => finish.promise, () => store.failWrites('busy'), finishes()])
    await test.say('one')
    await untilQuiet()
    await test.say('two', { whenRunning: 'queue' })
    finish.resolve()
    await untilQuiet()
    clock.advance(1_000)
    await untilQuiet()
    const types = await test.types()
    expect(types.filter((type) => type === 'step.started').length).toBe(
      types.filter((type) => type === 'step.ended').length,
    )
    expect((await test.events()).filter((event) => event.type === 'turn.ended')).toMatchObject([
      { outcome: 'finished' },
      { outcome: 'finished' },
    ])
  })

  it('keeps the session in memory however long it lasts, so that its readers see the end', async () => {
    const test = await startOnFaultyStore()
    await test.engine.start()
    test.model.push([() => test.store.failWrites('full'), finishes()])
    await test.say('go')
    await untilQuiet()
    for (let second = 0; second < 8 * 60; second++) {
      test.clock.advance(1_000)
      await untilQuiet()
    }
    const reader = createReaderLog()
    await test.engine.attach(test.user, test.sessionId, { after: { seq: 0 }, reader })
    test.store.failWrites(undefined)
    test.clock.advance(1_000)
    await untilQuiet()
    expect(reader.story().at(-1)).toBe('turn.ended')
  })

  it.each([
    ['full', 'storage-full'],
    ['busy', 'storage-busy'],
    ['broken', 'storage-unavailable'],
  ] as const)('refuses commands as %s with a sentence and takes them again afterwards', async (kind, code) => {
    const test = await startOnFaultyStore()
    test.store.failWrites(kind)
    await expect(test.say('go')).rejects.toMatchObject({ code })
    test.store.failWrites(undefined)
    await test.say('go')
    await test.untilRest()
    expect((await test.view()).lastOutcome).toBe('finished')
  })

  it('does not keep a cancel from stopping the model; the end is recorded when that is possible', async () => {
    const test = await startOnFaultyStore()
    const stopped = Promise.withResolvers<void>()
    const untilStopped = (_: unknown, signal: AbortSignal) =>
      new Promise<void>((resolve) => signal.addEventListener('abort', () => (stopped.resolve(), resolve())))
    test.model.push([says('half'), untilStopped])
    await test.say('go')
    await untilQuiet()
    test.store.failWrites('full')
    expect(await test.cancel()).toEqual({ cancelled: true })
    await stopped.promise
    for (let second = 0; second < 3; second++) {
      test.clock.advance(1_000)
      await untilQuiet()
    }
    expect((await test.view()).status).toBe('running')
    test.store.failWrites(undefined)
    test.clock.advance(1_000)
    await test.untilRest()
    expect((await test.events()).slice(4)).toMatchObject([
      { type: 'turn.taken-over' },
      { type: 'step.ended', outcome: 'cancelled' },
      { type: 'turn.ended', outcome: 'cancelled' },
    ])
    expect(test.model.requests).toHaveLength(1)
    await test.say('again')
    await test.untilRest()
    expect((await test.view()).lastOutcome).toBe('finished')
  })

  it('does not keep a cancel from stopping a tool', async () => {
    const clock = createFakeClock()
    const store = createMemoryEventStore({ clock })
    const stopped = Promise.withResolvers<void>()
    const tool = createFakeTool('wait', {
      effect: 'readonly',
      run: ({ signal }) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => (stopped.resolve(), reject(new Error('stopped')))),
        ),
    })
    const test = await startSession({ clock, store, tools: [tool] })
    test.model.push([calls('w', 'wait'), finishes('tool-calls')])
    await test.say('go')
    await untilQuiet()
    store.failWrites('busy')
    expect(await test.cancel()).toEqual({ cancelled: true })
    await stopped.promise
    await untilQuiet()
    store.failWrites(undefined)
    clock.advance(1_000)
    await test.untilRest()
    expect((await test.view()).lastOutcome).toBe('cancelled')
    expect(settledCalls(await test.events())).toEqual([['w', 'cancelled']])
    expect(tool.invocations).toHaveLength(1)
  })

  it('refuses to cancel a turn that waits: nothing runs that could be stopped', async () => {
    const test = await startOnFaultyStore({ tools: [createFakeTool('pay', { effect: 'unsafe', exposed: true })] })
    test.model.push([calls('p', 'nobody'), calls('q', 'client'), finishes('tool-calls')])
    await test.say('go', { changes: { clientTools: [{ name: 'client', description: '', parameters: {} }] } })
    await test.untilRest()
    expect((await test.view()).status).toBe('waiting')
    test.store.failWrites('full')
    await expect(test.cancel()).rejects.toMatchObject({ code: 'storage-full' })
  })

  it('during a draft only delays the draft', async () => {
    const test = await startOnFaultyStore()
    const more = Promise.withResolvers<void>()
    test.model.push([says('one '), () => more.promise, calls('x', 'nobody'), says('two'), hangs])
    await test.say('go')
    await untilQuiet()
    test.store.failWrites('busy')
    test.clock.advance(250)
    await untilQuiet()
    test.store.failWrites(undefined)
    more.resolve()
    await untilQuiet()
    test.clock.advance(250)
    await untilQuiet()
    expect((await test.store.readDrafts(test.sessionId)).map(({ text }) => text)).toEqual(['one ', 'two'])
  })
})

describe('a bug in a tool or a model', () => {
  it('ends the turn as failed and the session goes on', async () => {
    const broken = {
      ...createFakeTool('broken'),
      check: () => {
        throw new Error('a bug')
      },
    }
    const test = await startSession({ tools: [broken] })
    test.model.push([says('I will'), calls('b', 'broken'), finishes('tool-calls')])
    await test.say('go')
    await test.untilRest()
    expect((await test.events()).at(-1)).toMatchObject({
      type: 'turn.ended',
      outcome: 'failed',
      error: { code: 'internal' },
    })
    await test.say('again')
    await test.untilRest()
    expect((await test.view()).lastOutcome).toBe('finished')
  })

  it('starts what was queued after the turn it broke', async () => {
    const gate = Promise.withResolvers<void>()
    const broken = {
      ...createFakeTool('broken'),
      check: () => {
        throw new Error('a bug')
      },
    }
    const test = await startSession({ tools: [broken] })
    test.model.push([() => gate.promise, calls('b', 'broken'), finishes('tool-calls')])
    await test.say('one')
    await test.say('two', { whenRunning: 'queue' })
    gate.resolve()
    await untilQuiet()
    expect((await test.events()).filter((event) => event.type === 'turn.ended')).toMatchObject([
      { outcome: 'failed' },
      { outcome: 'finished' },
    ])
  })

  it('of a model that throws ends the turn as failed', async () => {
    const test = await startSession()
    test.model.push([
      says('so '),
      () => {
        throw new Error('a bug')
      },
    ])
    await test.say('go')
    await test.untilRest()
    expect((await test.events()).slice(-2)).toMatchObject([
      { type: 'step.ended', outcome: 'failed', partial: [{ text: 'so ' }] },
      { type: 'turn.ended', outcome: 'failed', error: { code: 'internal' } },
    ])
  })
})

describe('deleting a session during its turn', () => {
  it('stops model and tools, and nothing of it is left', async () => {
    let isStopped = false
    const tool = createFakeTool('long', {
      run: ({ signal }) => (signal.addEventListener('abort', () => (isStopped = true)), hangs()),
    })
    const test = await startSession({ tools: [tool] })
    test.model.push([calls('l', 'long'), finishes('tool-calls')])
    await test.say('go')
    await untilQuiet()
    await test.engine.execute({ type: 'delete-session', userId: test.user, sessionId: test.sessionId })
    await untilQuiet()
    expect(isStopped).toBe(true)
    await expect(test.view()).rejects.toMatchObject({ code: 'session-not-found' })
    expect(await test.events()).toEqual([])
    expect(await test.store.wantedSessions(10)).toEqual([])
  })

  it('refuses what comes after it', async () => {
    const test = await startSession()
    await test.engine.execute({ type: 'delete-session', userId: test.user, sessionId: test.sessionId })
    for (const attempt of [
      test.say('go'),
      test.cancel(),
      test.view(),
      test.engine.readHistory(test.user, test.sessionId, 'full'),
    ]) {
      await expect(attempt).rejects.toMatchObject({ code: 'session-not-found' })
    }
  })

  it('loses against nobody: an input that comes at the same time is stored and gone, or refused', async () => {
    for (let delay = 0; delay < 10; delay++) {
      const test = await startSession()
      const said = test.say('go').then(
        () => 'stored',
        () => 'refused',
      )
      for (let tick = 0; tick < delay; tick++) await Promise.resolve()
      await test.engine.execute({ type: 'delete-session', userId: test.user, sessionId: test.sessionId })
      await said
      await untilQuiet()
      expect(await test.events()).toEqual([])
      expect(test.logged).toEqual([])
    }
  })
})

describe('stopping', () => {
  it('lets a running turn finish within the grace', async () => {
    const gate = Promise.withResolvers<void>()
    const test = await startSession()
    test.model.push([says('almost'), () => gate.promise, finishes()])
    await test.say('go')
    await untilQuiet()
    const stopping = test.engine.stop(10_000)
    gate.resolve()
    await stopping
    expect((await test.events()).at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'finished' })
  })

  it('refuses commands while it drains', async () => {
    const test = await startSession()
    test.model.push([hangs])
    await test.say('go')
    const stopping = test.engine.stop(10_000)
    await expect(test.cancel()).rejects.toMatchObject({ code: 'shutting-down' })
    await untilQuiet()
    test.clock.advance(10_000)
    await stopping
  })

  it('leaves a turn that takes too long to the next engine, with the text it had', async () => {
    const first = await startSession()
    first.model.push([says('half'), hangs])
    await first.say('go')
    await untilQuiet()
    const stopping = first.engine.stop(10_000)
    await untilQuiet()
    first.clock.advance(10_000)
    await stopping
    expect((await first.types()).slice(-2)).toEqual(['step.started', 'turn.handed-over'])
    const second = await restart(first)
    await second.untilRest()
    expect((await second.events()).slice(5)).toMatchObject([
      { type: 'turn.taken-over', count: 0 },
      { type: 'step.ended', outcome: 'interrupted', partial: [{ text: 'half' }] },
      { type: 'step.started' },
      { type: 'step.answered' },
      { type: 'step.ended' },
      { type: 'turn.ended', outcome: 'finished' },
    ])
  })

  it('leaves a tool that ignores it to the next engine', async () => {
    const first = await startSession({ tools: [createFakeTool('stubborn', { run: hangs })] })
    first.model.push([calls('s', 'stubborn'), finishes('tool-calls')])
    await first.say('go')
    await untilQuiet()
    await first.engine.stop(0)
    const second = await restart(first, { tools: [createFakeTool('stubborn')] })
    await second.untilRest()
    expect(settledCalls(await second.events())).toEqual([['s', 'completed']])
  })

  it('does not begin a queued turn while it drains', async () => {
    const gate = Promise.withResolvers<void>()
    const first = await startSession()
    first.model.push([() => gate.promise, finishes()])
    await first.say('one')
    await first.say('two', { whenRunning: 'queue' })
    await untilQuiet()
    const stopping = first.engine.stop(10_000)
    gate.resolve()
    await stopping
    expect(first.model.requests.length).toBe(1)
    const second = await restart(first)
    await second.untilRest()
    expect(second.model.requests[0]?.messages.at(-1)).toEqual({ role: 'user', content: 'two' })
  })

  it('can be asked twice', async () => {
    const test = await startSession()
    test.model.push([hangs])
    await test.say('go')
    await Promise.all([test.engine.stop(0), test.engine.stop(0)])
    await test.engine.stop(0)
  })
})

describe('starting', () => {
  it('takes over every turn that was left, however many', async () => {
    const clock = createFakeClock()
    const store = createMemoryEventStore({ clock })
    const model = createFakeModel(...Array.from({ length: 1_001 }, () => [hangs]))
    const first = createTestEngine({ store, clock, model })
    const created = await Promise.all(
      Array.from({ length: 1_001 }, () =>
        first.engine.execute({
          type: 'create-session',
          userId: first.user,
          agent: 'tester',
          access: { type: 'preset' },
          input: 'go',
        }),
      ),
    )
    await untilQuiet()
    const second = createTestEngine({ store, clock })
    await second.engine.start()
    await untilQuiet()
    expect(await store.wantedSessions(10)).toEqual([])
    const views = await Promise.all(created.map(({ sessionId }) => second.engine.readSession(second.user, sessionId)))
    expect(views.filter(({ lastOutcome }) => lastOutcome === 'finished').length).toBe(1_001)
  })

  it('goes on without a session that cannot be read', async () => {
    const first = await startSession()
    first.model.push([hangs], [hangs])
    await first.say('go')
    const healthy = await first.engine.execute({
      type: 'create-session',
      userId: first.user,
      agent: 'tester',
      access: { type: 'preset' },
      input: 'go',
    })
    await untilQuiet()
    const damaged: EventStore = {
      ...first.store,
      readEvents: async (sessionId, after, limit) => {
        if (sessionId === first.sessionId) throw new Error('event turn.started is damaged')
        return first.store.readEvents(sessionId, after, limit)
      },
    }
    const second = createTestEngine({ store: damaged, clock: first.clock })
    await second.engine.start()
    await useSession(second, healthy.sessionId).untilRest()
    expect(second.logged).toMatchObject([{ level: 'error', sessionId: first.sessionId } satisfies Partial<LogEntry>])
  })
})
