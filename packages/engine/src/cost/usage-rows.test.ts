import { describe, expect, it } from 'vitest'
import {
  calls,
  createAgentTool,
  createFakeModel,
  createFakeTool,
  createMemoryEventStore,
  createFakeClock,
  hangs,
  restart,
  says,
  startSession,
  type FakeStep,
  type TestEngineOptions,
} from '@polylogue/testkit'
import { addUpTrees, type CreateSession, type ModelOutput, type UsageGrouping } from '../index.ts'

const FREE: Partial<CreateSession> = { access: { type: 'preset' }, preset: 'full-access' }
const took = (inputTokens: number, outputTokens: number, finish: 'stop' | 'tool-calls' = 'stop'): ModelOutput => ({
  type: 'finished',
  finish,
  usage: { inputTokens, outputTokens },
})

async function start(steps: readonly FakeStep[], options: TestEngineOptions = {}) {
  const clock = createFakeClock()
  const store = createMemoryEventStore({ clock })
  const model = createFakeModel(...steps)
  const tools = [createFakeTool('look'), createAgentTool()]
  const test = await startSession({ clock, store, model, tools, ...options }, FREE)
  const sums = (...by: UsageGrouping[]) => store.usage.sumUsage({ by, limit: 100 })
  return { test, sums, store }
}

describe('the calls of a turn', () => {
  it('are counted once each, with user, key, turn, agent and model', async () => {
    const { test, sums } = await start([
      [calls('a', 'look'), took(10, 2, 'tool-calls')],
      [says('done'), took(20, 3)],
    ])
    const { turnId } = await test.say('go', { settings: { keyId: 'key_1' } })
    await test.untilRest()
    expect(await sums('user', 'key', 'turn', 'agent', 'model', 'kind')).toMatchObject([
      {
        userId: 'ann',
        keyId: 'key_1',
        turnId,
        agent: 'tester',
        model: 'fake/model',
        kind: 'step',
        calls: 2,
        unpricedCalls: 2,
        inputTokens: 30,
        outputTokens: 5,
        nano: {},
      },
    ])
    expect(await sums('call')).toHaveLength(2)
  })

  it('cost what their price says, cached and written input at prices of their own', async () => {
    const usage = { inputTokens: 1_000, outputTokens: 100, cachedInputTokens: 600, cacheWriteTokens: 300 }
    const price = { currency: 'USD', input: 10, output: 50, cachedInput: 1, cacheWrite: 12 }
    const { test, sums } = await start([[says('done'), { type: 'finished', finish: 'stop', usage }]], {
      prices: { find: (model) => (model === 'fake/model' ? price : undefined) },
    })
    await test.say('go')
    await test.untilRest()
    // 100 plain, 600 cached, 300 written, 100 out, in millionths of a dollar: 1000 + 600 + 3600 + 5000.
    expect(await sums()).toMatchObject([{ unpricedCalls: 0, nano: { USD: 10_200_000 } }])
  })

  it('of sub-agents count for those above them', async () => {
    const delegate = (id: string): ModelOutput => calls(id, 'Agent', { description: id, prompt: id })
    const { test, sums } = await start([
      [delegate('a'), took(1, 0, 'tool-calls')],
      [delegate('b'), took(10, 0, 'tool-calls')],
      [says('deep'), took(100, 0)],
      [says('middle'), took(1_000, 0)],
      [says('top'), took(10_000, 0)],
    ])
    await test.say('go')
    await test.untilRest()
    const trees = addUpTrees(await sums('loop'))
    const told = trees.map(({ loopId, own, withChildren }) => [loopId, own.inputTokens, withChildren.inputTokens])
    expect(new Set(told.map(String))).toEqual(new Set(['root,10001,11111', 'loop_a,1010,1110', 'loop_b,100,100']))
  })

  it('without an answer count, with the usage that the provider reported or as unknown', async () => {
    const error = { code: 'model-down', message: 'Away.' }
    const { test, sums } = await start([
      [{ type: 'failed', error, usage: { inputTokens: 7, outputTokens: 1 } }],
      [says('half'), { type: 'failed', error }],
    ])
    await test.say('one')
    await test.untilRest()
    await test.say('two')
    await test.untilRest()
    expect(await sums()).toMatchObject([{ calls: 2, untoldCalls: 1, unpricedCalls: 1, inputTokens: 7 }])
  })

  it('that a cancel cut off count as untold', async () => {
    const { test, sums } = await start([[says('half'), hangs]])
    await test.say('one')
    await test.cancel()
    await test.untilRest()
    expect(await sums()).toMatchObject([{ calls: 1, untoldCalls: 1 }])
  })

  it('are counted once across a crash, and the one that it cut off as untold', async () => {
    const { test, sums } = await start([
      [calls('a', 'look'), took(10, 0, 'tool-calls')],
      [says('half'), hangs],
    ])
    await test.say('go')
    await new Promise(setImmediate)
    const second = await restart(test, {
      model: createFakeModel([says('done'), took(30, 0)]),
      tools: [createFakeTool('look')],
    })
    await second.untilRest()
    expect(await sums()).toMatchObject([{ calls: 3, untoldCalls: 1, inputTokens: 40 }])
  })
})

describe('a compaction', () => {
  it('is a call of its own, in a turn and on request', async () => {
    const { test, sums } = await start([
      [says('one'), took(1, 1)],
      [says('two'), took(1, 1)],
      [says('all'), took(50, 5)],
    ])
    for (const input of ['a', 'b']) {
      await test.say(input)
      await test.untilRest()
    }
    const done = Promise.withResolvers<void>()
    const reader = { delta: () => undefined, closed: () => undefined }
    await test.engine.attach(test.user, test.sessionId, {
      after: { seq: 0 },
      reader: {
        ...reader,
        recorded: ({ event }) => {
          if (event.type === 'compaction.ended') done.resolve()
        },
      },
    })
    await test.engine.execute({ type: 'compact-session', userId: test.user, sessionId: test.sessionId })
    await done.promise
    const [compaction, steps] = await sums('kind', 'turn').then((all) => [
      all.find(({ kind }) => kind === 'compaction'),
      all,
    ])
    expect(compaction).toMatchObject({ calls: 1, inputTokens: 50, outputTokens: 5 })
    expect(compaction).not.toHaveProperty('turnId')
    expect(steps).toHaveLength(3)
  })
})
