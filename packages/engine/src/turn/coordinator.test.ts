import { describe, expect, it } from 'vitest'
import {
  calls,
  createFakeClock,
  createFakeModel,
  createFakeTool,
  createMemoryEventStore,
  finishes,
  hangs,
  restart,
  says,
  settledCalls,
  startSession,
  untilQuiet,
  useSession,
  createTestEngine,
} from '@polylogue/testkit'
import type { EventStore, LogEntry } from '../index.ts'

describe('a bug in a tool or a model', () => {
  it('ends the turn as failed and the session continues', async () => {
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

  it('wins every race: a concurrent input is either stored and deleted, or refused', async () => {
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
  it('takes over every abandoned turn, in any number', async () => {
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

  it('continues without a session that cannot be read', async () => {
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
