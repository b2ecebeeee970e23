import { describe, expect, it } from 'vitest'
import {
  calls,
  createAgentTool,
  createFakeModel,
  createFakeTool,
  createMemoryEventStore,
  createFakeClock,
  createQuestionTool,
  createTestIds,
  finishes,
  grant,
  hangs,
  restart,
  result,
  says,
  startSession,
  untilQuiet,
  type FakeStep,
  type TestEngineOptions,
  type TestSession,
} from '@polylogue/testkit'
import { textOf, type Budgets, type CreateSession, type ModelOutput, type RecordedEvent } from '../index.ts'

const FREE: Partial<CreateSession> = { access: { type: 'preset' }, preset: 'full-access' }
const book = (budgets: Budgets) => ({ currency: 'USD', budgetsOf: () => budgets })
const took = (inputTokens: number, outputTokens = 0, finish: 'stop' | 'tool-calls' = 'tool-calls'): ModelOutput => ({
  type: 'finished',
  finish,
  usage: { inputTokens, outputTokens },
})
const look = (id: string, tokens: number): FakeStep => [calls(id, 'look', { at: id }), took(tokens)]

const start = (budgets: Budgets, steps: readonly FakeStep[], options: TestEngineOptions = {}) =>
  startSession(
    { model: createFakeModel(...steps), tools: [createFakeTool('look')], budgets: book(budgets), ...options },
    FREE,
  )

const questionIn = (events: readonly RecordedEvent[]) =>
  events.findLast((event) => event.type === 'step.answered' && event.by === 'engine')

async function waitingId(test: TestSession): Promise<string> {
  const [id] = (await test.view()).waitingCalls
  if (id === undefined) throw new Error('nothing waits')
  return id
}

const endOf = (events: readonly RecordedEvent[]) => events.findLast((event) => event.type === 'turn.ended')

describe('a turn whose budget is used up', () => {
  it('waits, and asks with what was used and what the limit is', async () => {
    const test = await start({ turn: { tokens: 100 } }, [look('a', 60), look('b', 60), [says('done'), finishes()]])
    await test.say('go')
    await test.untilRest()
    expect(await test.view()).toMatchObject({ status: 'waiting' })
    expect(questionIn(await test.events())).toMatchObject({
      blocks: [
        {
          type: 'tool-call',
          name: 'AskUserQuestion',
          input: {
            questions: [
              {
                question: 'This turn has used 120 tokens; the budget is 100 tokens. What shall happen?',
                options: [{ label: 'Go on', description: 'Allows 100 tokens more' }, { label: 'Stop' }],
              },
            ],
          },
        },
      ],
      budget: { scope: 'turn', measure: 'tokens', used: 120, limit: 100 },
    })
    expect(test.model.requests).toHaveLength(2)
  })

  it('continues when allowed, for the same amount again, and the model does not see it', async () => {
    const test = await start({ turn: { tokens: 100 } }, [
      look('a', 100),
      look('b', 60),
      look('c', 40),
      [says('done'), took(1, 0, 'stop')],
    ])
    await test.say('go')
    await test.untilRest()
    await test.answer(result(await waitingId(test), 'Go on'))
    await test.untilRest()
    expect(test.model.requests).toHaveLength(3)
    await test.answer(result(await waitingId(test), 'Go on'))
    await test.untilRest()
    expect(endOf(await test.events())).toMatchObject({ outcome: 'finished' })
    const last = test.model.requests.at(-1)
    expect(last?.messages.map(({ role }) => role)).toEqual([
      'user',
      ...['assistant', 'tool', 'assistant', 'tool', 'assistant', 'tool'],
    ])
    expect(JSON.stringify(last)).not.toContain('budget')
    expect(last?.step).toBe(3)
  })

  it.each(['Stop', 'no, that is enough', 'What does that cost?', ''])('ends with an answer: %s', async (answer) => {
    const test = await start({ turn: { steps: 1 } }, [look('a', 1)])
    await test.say('go')
    await test.untilRest()
    await test.answer(result(await waitingId(test), answer))
    await test.untilRest()
    expect(endOf(await test.events())).toMatchObject({
      outcome: 'step-limit',
      error: { code: 'budget', message: 'This turn has used 1 model call; the budget is 1 model call.' },
    })
    expect(test.model.requests).toHaveLength(1)
  })

  it('continues for a client that can only approve', async () => {
    const test = await start({ turn: { steps: 1 } }, [look('a', 1), [says('done'), finishes()]])
    await test.say('go')
    await test.untilRest()
    await test.answer(grant(await waitingId(test)))
    await test.untilRest()
    expect(endOf(await test.events())).toMatchObject({ outcome: 'finished' })
  })

  it('is superseded like any other that waits, and the next turn has a budget of its own', async () => {
    const test = await start({ turn: { steps: 1 } }, [look('a', 1), [says('fresh'), finishes()]])
    await test.say('go')
    await test.untilRest()
    await test.say('never mind')
    await test.untilRest()
    const ends = (await test.events()).filter((event) => event.type === 'turn.ended')
    expect(ends).toMatchObject([{ outcome: 'cancelled' }, { outcome: 'finished' }])
  })

  it("shows its question in both histories, and after the answer no longer in the model's", async () => {
    const test = await start({ turn: { steps: 1 } }, [look('a', 1), [says('done'), finishes()]])
    await test.say('go')
    await test.untilRest()
    const read = (view: 'full' | 'compacted') => test.engine.readHistory(test.user, test.sessionId, view)
    const roles = async (view: 'full' | 'compacted') => (await read(view)).map(({ role }) => role)
    expect(await roles('full')).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(await roles('compacted')).toEqual(['user', 'assistant', 'tool', 'assistant'])
    await test.answer(result(await waitingId(test), 'Go on'))
    await test.untilRest()
    expect(await roles('full')).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant'])
    expect(await roles('compacted')).toEqual(['user', 'assistant', 'tool', 'assistant'])
  })

  it('waits across a restart, and knows afterwards what was allowed', async () => {
    const first = await start({ session: { steps: 1 } }, [look('a', 1)])
    await first.say('go')
    await first.untilRest()
    const options = { tools: [createFakeTool('look')], budgets: book({ session: { steps: 1 } }) }
    const second = await restart(first, { ...options, model: createFakeModel(look('b', 1)) })
    await second.answer(result(await waitingId(second), 'Go on'))
    await second.untilRest()
    expect(questionIn(await second.events())).toMatchObject({ budget: { used: 2, limit: 1 } })
    const third = await restart(second, { ...options, model: createFakeModel([says('done'), finishes()]) })
    await third.answer(result(await waitingId(third), 'Go on'))
    await third.untilRest()
    expect(endOf(await third.events())).toMatchObject({ outcome: 'finished' })
  })

  it('ends immediately when no one can be asked, or asking is off', async () => {
    const unattended = await start({ turn: { steps: 1 } }, [look('a', 1)])
    await unattended.say('go', { settings: { isUnattended: true } })
    await unattended.untilRest()
    expect(endOf(await unattended.events())).toMatchObject({ outcome: 'step-limit', error: { code: 'budget' } })
    const hard = await start({ turn: { steps: 1, whenSpent: 'stop' } }, [look('a', 1)])
    await hard.say('go')
    await hard.untilRest()
    expect(endOf(await hard.events())).toMatchObject({ outcome: 'step-limit', error: { code: 'budget' } })
  })
})

describe('the budget of', () => {
  const price = { currency: 'USD', input: 1, output: 2 }

  it('money counts by price, and calls of unknown price do not count', async () => {
    const options = { prices: { find: () => price } }
    const test = await start({ turn: { money: 0.5 } }, [[calls('a', 'look'), took(300_000, 100_000)]], options)
    await test.say('go')
    await test.untilRest()
    const question = questionIn(await test.events())
    expect(JSON.stringify(question)).toContain('This turn has used 0.50 USD; the budget is 0.50 USD.')
    const unknown = await start({ turn: { money: 0.5 } }, [[calls('a', 'look'), took(9_000_000)]])
    await unknown.say('go')
    await unknown.untilRest()
    expect(endOf(await unknown.events())).toMatchObject({ outcome: 'finished' })
  })

  it('a session counts over its turns, and going on is remembered in it', async () => {
    const test = await start({ session: { tokens: 10 } }, [
      [says('one'), took(10, 0, 'stop')],
      [says('two'), took(4, 0, 'stop')],
      [says('three'), took(1, 0, 'stop')],
    ])
    await test.say('a')
    await test.untilRest()
    await test.say('b')
    await test.untilRest()
    await test.answer(result(await waitingId(test), 'Go on'))
    await test.untilRest()
    await test.say('c')
    await test.untilRest()
    expect(endOf(await test.events())).toMatchObject({ outcome: 'finished' })
    expect(test.model.requests).toHaveLength(3)
  })

  it('wall time counts work, not waiting', async () => {
    const clock = createFakeClock()
    const work: FakeStep = [() => clock.advance(30_000), calls('a', 'look'), took(1)]
    const ask: FakeStep = [calls('q', createQuestionTool().name, { question: 'Which?' }), took(1)]
    const test = await start({ turn: { wallTimeMs: 60_000 } }, [work, ask, work, [says('done'), finishes()]], {
      clock,
      tools: [createFakeTool('look'), createQuestionTool()],
    })
    await test.say('go')
    await test.untilRest()
    clock.advance(3_600_000)
    await test.answer(result('q', 'Red'))
    await test.untilRest()
    expect(questionIn(await test.events())).toMatchObject({ budget: { measure: 'wallTimeMs', used: 60_000 } })
    expect(test.model.requests).toHaveLength(3)
  })

  it('wall time does not count the time between a crash and what comes after it', async () => {
    const budgets: Budgets = { turn: { wallTimeMs: 60_000 } }
    const clock = createFakeClock()
    const work: FakeStep = [() => clock.advance(30_000), calls('a', 'look'), took(1)]
    const first = await start(budgets, [work, [hangs]], { clock })
    await first.say('go')
    await untilQuiet()
    clock.advance(3_600_000)
    const second = await restart(first, {
      tools: [createFakeTool('look')],
      budgets: book(budgets),
      model: createFakeModel([says('done'), finishes()]),
    })
    await second.untilRest()
    expect(endOf(await second.events())).toMatchObject({ outcome: 'finished' })
  })

  it('a key counts over all sessions of a day, and going on holds for the turn', async () => {
    const clock = createFakeClock()
    const store = createMemoryEventStore({ clock })
    const options = { clock, store, usage: store.usage, ids: createTestIds() }
    const budgets: Budgets = { key: { per: 'day', tokens: 10 } }
    const settings = { keyId: 'key_1' }
    const one = await start(budgets, [[says('one'), took(10, 0, 'stop')]], options)
    await one.say('a', { settings })
    await one.untilRest()
    const two = await start(budgets, [], options)
    await two.say('b', { settings })
    await two.untilRest()
    expect(JSON.stringify(questionIn(await two.events()))).toContain(
      'Today this API key has used 10 tokens; the budget is 10 tokens a day.',
    )
    await two.answer(result(await waitingId(two), 'Go on'))
    await two.untilRest()
    expect(endOf(await two.events())).toMatchObject({ outcome: 'finished' })
    await two.say('c', { settings })
    await two.untilRest()
    expect((await two.view()).status).toBe('waiting')
    await two.say('with another key', { settings: { keyId: 'key_2' } })
    await two.untilRest()
    expect(endOf(await two.events())).toMatchObject({ outcome: 'finished' })
    clock.advance(86_400_000)
    await two.say('d', { settings })
    await two.untilRest()
    expect((await two.view()).status).toBe('idle')
  })
})

describe('the budget of a turn with sub-agents', () => {
  const delegate = (id: string): ModelOutput => calls(id, 'Agent', { description: id, prompt: id })

  /** Every sub-agent looks around until it is stopped; the agent itself hands work to two. */
  const busy = (delegated: readonly string[]) => {
    const fake = createFakeModel()
    let made = 0
    return {
      ...fake,
      async *stream(...[request]: Parameters<typeof fake.stream>): AsyncGenerator<ModelOutput> {
        const told = textOf(request.messages.find(({ role }) => role === 'user')?.content ?? '')
        if (told === 'go' && request.step === 0) for (const id of delegated) yield delegate(id)
        else if (told !== 'go' && request.step < 3) yield calls(`${told}${++made}`, 'look', { at: made })
        else return yield* [says(`${told} done`), took(10, 0, 'stop')]
        yield took(10)
      },
    }
  }
  const tools = [createFakeTool('look'), createAgentTool()]

  it('counts them, asks once for all of them, and lets all of them continue', async () => {
    const test = await start({ turn: { tokens: 40 } }, [], { model: busy(['left', 'right']), tools })
    await test.say('go')
    await test.untilRest()
    await untilQuiet()
    expect((await test.view()).waitingCalls).toHaveLength(1)
    let answers = 0
    while ((await test.view()).status === 'waiting') {
      answers += 1
      await test.answer(result(await waitingId(test), 'Go on'))
      await test.untilRest()
    }
    expect(endOf(await test.events())).toMatchObject({ outcome: 'finished' })
    expect(answers).toBe(2)
    const loops = (await test.events()).filter((event) => event.type === 'loop.ended')
    expect(loops).toMatchObject([{ outcome: 'finished' }, { outcome: 'finished' }])
  })

  it('ends all of them when the answer is no', async () => {
    const test = await start({ turn: { tokens: 40 } }, [], { model: busy(['left', 'right']), tools })
    await test.say('go')
    await test.untilRest()
    await test.answer(result(await waitingId(test), 'Stop'))
    await test.untilRest()
    const events = await test.events()
    expect(endOf(events)).toMatchObject({ outcome: 'step-limit', error: { code: 'budget' } })
    expect(events.filter((event) => event.type === 'loop.ended')).toHaveLength(2)
    expect(events.filter((event) => event.type === 'step.answered' && event.by === undefined).length).toBeLessThan(7)
  })
})
