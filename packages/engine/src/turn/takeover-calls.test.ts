import { describe, expect, it } from 'vitest'
import { asToolCallId } from '../ids.ts'
import {
  calls,
  createFakeClock,
  createFakeModel,
  createFakeTool,
  createMemoryEventStore,
  createProcessStore,
  finishes,
  grant,
  hangs,
  restart,
  settledCalls,
  startSession,
  untilQuiet,
} from '@polylogue/testkit'

const hangingModel = () => createFakeModel([hangs])

describe('a tool call whose process died', () => {
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

  it('never repeats an unsafe call in flight, and the model learns that its outcome is unknown', async () => {
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
})
