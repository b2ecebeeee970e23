import { createFakeModel, createFakeTool, calls, finishes, says } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { EngineError } from '../errors.ts'
import { asSessionId, asToolCallId, type SessionId } from '../ids.ts'
import { MINUTE, ANN, NEWS, openWorld, runsOf, prompts } from './test-support/schedule-world.ts'

describe('a scheduled run', () => {
  it('is a turn of a session of its own, with the title of its schedule, and ends with its turn', async () => {
    const world = await openWorld({ model: createFakeModel([says('No news'), finishes()]) })
    const { scheduleId } = await world.book.create(ANN, NEWS)
    await world.pass(10 * MINUTE)
    const [run] = await runsOf(world, scheduleId)
    expect(run).toMatchObject({ status: 'completed', slotAt: run?.triggeredAt, finishedAt: run?.triggeredAt })
    const view = await world.engine.readSession(ANN, run?.sessionId as SessionId)
    expect(view).toMatchObject({ title: 'News', status: 'idle', lastOutcome: 'finished', access: { type: 'preset' } })
    expect(prompts(world.model)).toEqual(['Tell me the news'])
    await world.stop()
  })

  it('says whether an agent wrote its prompt', async () => {
    const world = await openWorld()
    const sourceSession = asSessionId('session-1')
    const made = [await world.book.create(ANN, { ...NEWS, sourceSession }), await world.book.create(ANN, NEWS)]
    await world.pass(10 * MINUTE)
    const settings = made.map(async ({ scheduleId }) => {
      const [run] = await runsOf(world, scheduleId)
      const events = await world.store.readEvents(run?.sessionId as SessionId, 0, 100)
      return events.flatMap(({ event }) => (event.type === 'input.admitted' ? [event.settings] : []))
    })
    expect(await Promise.all(settings)).toEqual([[{ isOthersText: true }], [undefined]])
    await world.stop()
  })

  it('does not begin before its slot, nor twice', async () => {
    const world = await openWorld()
    const { scheduleId } = await world.book.create(ANN, NEWS)
    await world.pass(10 * MINUTE - 1)
    expect(await runsOf(world, scheduleId)).toEqual([])
    await world.pass(10 * MINUTE)
    expect(await runsOf(world, scheduleId)).toHaveLength(1)
    await world.pass(20 * MINUTE)
    expect((await runsOf(world, scheduleId)).map(({ status }) => status)).toEqual([
      'completed',
      'completed',
      'completed',
    ])
    await world.stop()
  })

  it('fails with the reason of its turn', async () => {
    const model = createFakeModel([{ type: 'failed', error: { code: 'model-error', message: 'The model is down.' } }])
    const world = await openWorld({ model })
    const { scheduleId } = await world.book.create(ANN, NEWS)
    await world.pass(10 * MINUTE)
    expect(await runsOf(world, scheduleId)).toMatchObject([{ status: 'failed', error: 'The model is down.' }])
    await world.stop()
  })

  it('stays running while it waits for its user, and later slots are skipped', async () => {
    const tool = createFakeTool('write', { effect: 'unsafe' })
    const model = createFakeModel([calls('c1', 'write'), finishes('tool-calls')], [says('Done'), finishes()])
    const world = await openWorld({ tools: [tool], model })
    const { scheduleId } = await world.book.create(ANN, NEWS)
    await world.pass(30 * MINUTE)
    const [run, ...others] = await runsOf(world, scheduleId)
    expect([run?.status, others]).toEqual(['running', []])
    await world.engine.execute({
      type: 'answer-calls',
      userId: ANN,
      sessionId: run?.sessionId as SessionId,
      answers: [{ type: 'approval', toolCallId: asToolCallId('c1'), granted: true }],
      whenRunning: 'refuse',
    })
    await world.pass(1_000)
    expect(await runsOf(world, scheduleId)).toMatchObject([{ status: 'completed' }])
    await world.stop()
  })

  it('fails when it is cancelled, and when its session is deleted', async () => {
    const tool = createFakeTool('write', { effect: 'unsafe' })
    const asks = (id: string) => [calls(id, 'write'), finishes('tool-calls')]
    const model = createFakeModel(asks('c1'), asks('c2'))
    const world = await openWorld({ tools: [tool], model })
    const { scheduleId } = await world.book.create(ANN, NEWS)
    await world.pass(10 * MINUTE)
    const [first] = await runsOf(world, scheduleId)
    const sessionId = first?.sessionId as SessionId
    await world.engine.execute({ type: 'cancel-turn', userId: ANN, sessionId, reason: 'user', dropQueue: true })
    await world.pass(10 * MINUTE)
    const [second] = await runsOf(world, scheduleId)
    await world.engine.execute({ type: 'delete-session', userId: ANN, sessionId: second?.sessionId as SessionId })
    await world.pass(1_000)
    expect(await runsOf(world, scheduleId)).toMatchObject([
      { status: 'failed', error: 'Its session was deleted before it had ended.' },
      { status: 'failed', error: 'It was cancelled.' },
    ])
    await world.stop()
  })

  it('needs no approval when its schedule says so', async () => {
    const tool = createFakeTool('write', { effect: 'unsafe' })
    const model = createFakeModel([calls('c1', 'write'), finishes('tool-calls')], [says('Done'), finishes()])
    const world = await openWorld({ tools: [tool, createFakeTool('Schedule', { effect: 'idempotent' })], model })
    const { scheduleId } = await world.book.create(ANN, { ...NEWS, isUnattended: true })
    await world.pass(10 * MINUTE)
    expect(await runsOf(world, scheduleId)).toMatchObject([{ status: 'completed' }])
    expect(tool.invocations).toHaveLength(1)
    expect(world.model.requests[0]?.tools.map(({ name }) => name)).toEqual(['write'])
    await world.stop()
  })

  it('does not begin for a removed user', async () => {
    const world = await openWorld({ deps: () => ({ isWelcome: async () => false }) })
    const { scheduleId } = await world.book.create(ANN, NEWS)
    await world.pass(10 * MINUTE)
    expect(await runsOf(world, scheduleId)).toEqual([])
    expect(world.told).toMatchObject([{ message: 'slots were skipped', outcome: 'skipped-rights', count: 1 }])
    await world.stop()
  })

  it('fails when the wanted text is missing', async () => {
    const world = await openWorld()
    const { scheduleId } = await world.book.create(ANN, { ...NEWS, agent: 'nobody' })
    await world.pass(10 * MINUTE)
    expect(await runsOf(world, scheduleId)).toMatchObject([
      { status: 'failed', error: 'there is no agent called nobody' },
    ])
    await world.stop()
  })

  it('is tried again for a minute when only the moment is wrong', async () => {
    let refusals = 3
    const world = await openWorld({
      deps: ({ turns }) => ({
        turns: {
          ...turns,
          async begin(open) {
            if (refusals-- > 0) throw new EngineError('too-many-turns', 'you have too many running turns')
            return turns.begin(open)
          },
        },
      }),
    })
    const { scheduleId } = await world.book.create(ANN, NEWS)
    await world.pass(10 * MINUTE + 10_000)
    expect(await runsOf(world, scheduleId)).toMatchObject([{ status: 'completed' }])
    refusals = Infinity
    await world.pass(12 * MINUTE)
    expect(await runsOf(world, scheduleId)).toMatchObject([
      { status: 'failed', error: 'you have too many running turns' },
      { status: 'completed' },
    ])
    await world.stop()
  })
})
