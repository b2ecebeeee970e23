import { describe, expect, it } from 'vitest'
import {
  calls,
  createFakeClock,
  createFakeTool,
  createMemoryEventStore,
  createMemoryRuleStore,
  createReaderLog,
  finishes,
  hangs,
  says,
  settledCalls,
  startSession,
  untilQuiet,
  type TestEngineOptions,
} from '@polylogue/testkit'
import { StorageFault, type EventStore, type ModelRequest } from '../index.ts'

async function startOnFaultyStore(options: TestEngineOptions = {}) {
  const clock = createFakeClock()
  const store = createMemoryEventStore({ clock })
  const test = await startSession({ ...options, clock, store })
  return { ...test, store }
}

describe('a storage fault in the middle of a turn', () => {
  it('is waited out, and the turn continues', async () => {
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

  it('repairs the turn even when an input was queued meanwhile', async () => {
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

  it.each(['busy', 'full'] as const)('that is %s before a model is asked is waited out, too', async (kind) => {
    let isFailing = true
    const rules = createMemoryRuleStore()
    const test = await startOnFaultyStore({
      rules: {
        ...rules,
        listRules: async (userId) => {
          if (isFailing) throw new StorageFault(kind, 'Reads fail on purpose.')
          return rules.listRules(userId)
        },
      },
    })
    await test.say('go')
    await untilQuiet()
    expect((await test.view()).status).toBe('running')
    isFailing = false
    test.clock.advance(1_000)
    await test.untilRest()
    expect((await test.view()).lastOutcome).toBe('finished')
    expect(test.model.requests).toHaveLength(1)
  })

  it('while a model reads an image is waited out: an answer without the image is not used', async () => {
    const clock = createFakeClock()
    const store = createMemoryEventStore({ clock })
    const image = { mediaType: 'image/png', bytes: new Uint8Array([1]) }
    let reads = 0
    const failing: EventStore = {
      ...store,
      readBlob: async () => {
        if (++reads === 1) throw new StorageFault('busy', 'Reads fail on purpose.')
        return image
      },
    }
    const test = await startSession({ clock, store: failing })
    // As models do, it goes on without an image that it cannot read.
    const look = ({ readBlob }: ModelRequest): Promise<void> =>
      readBlob('picture').then(
        () => undefined,
        () => undefined,
      )
    test.model.push([look, says('I see nothing'), finishes()], [look, says('I see it'), finishes()])
    await test.say('go')
    await untilQuiet()
    clock.advance(1_000)
    await test.untilRest()
    const answers = (await test.events()).filter(({ type }) => type === 'step.answered')
    expect(answers).toMatchObject([{ blocks: [{ text: 'I see it' }] }])
  })

  it('while a call is inspected is waited out, and does not decide about the call', async () => {
    let fails = 1
    const tool = createFakeTool('look', {
      effect: 'readonly',
      inspect: async () => {
        if (fails-- > 0) throw new StorageFault('busy', 'Reads fail on purpose.')
        return { facts: { type: 'plain' } }
      },
    })
    const test = await startOnFaultyStore({ tools: [tool] })
    test.model.push([calls('l', 'look'), finishes('tool-calls')], [calls('l', 'look'), finishes('tool-calls')])
    await test.say('go')
    await untilQuiet()
    test.clock.advance(1_000)
    await test.untilRest()
    expect(settledCalls(await test.events())).toEqual([['l', 'completed']])
  })

  it('that is broken ends the turn: asking again would not help', async () => {
    const rules = { ...createMemoryRuleStore(), listRules: () => Promise.reject(new StorageFault('broken', 'Torn.')) }
    const test = await startOnFaultyStore({ rules })
    await test.say('go')
    await test.untilRest()
    expect((await test.view()).lastOutcome).toBe('failed')
  })

  it('keeps the session in memory for as long as it lasts, so that its readers see the end', async () => {
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
