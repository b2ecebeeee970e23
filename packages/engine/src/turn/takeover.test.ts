import { describe, expect, it } from 'vitest'
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
  startSession,
  thinks,
  untilQuiet,
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

  it('leaves the turns of a dead process alone until their session is used', async () => {
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

  it('continues with the next step when it died between two', async () => {
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

  it('continues to the queued input after the taken-over turn ends', async () => {
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
