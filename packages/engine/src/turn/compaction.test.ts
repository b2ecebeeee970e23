import { describe, expect, it } from 'vitest'
import {
  calls,
  createFakeModel,
  createFakeTool,
  finishes,
  hangs,
  restart,
  says,
  startSession,
  untilQuiet,
  type FakeStep,
  type TestEngineOptions,
} from '@polylogue/testkit'
import { textOf, type ModelOutput, type RecordedEvent, type ConversationMessage } from '../index.ts'

const LONG = 'word '.repeat(200)
/** About 290 tokens each by length. */
const long = (name: string): FakeStep => [says(`${name} ${LONG}`), finishes()]
const TOO_LONG: ModelOutput = { type: 'failed', error: { code: 'context-too-long', message: 'Too long.' } }

/** A fake provider counts nothing, so everything is estimated. */
function startWith(contextWindow: number | undefined, options: TestEngineOptions = {}, ...steps: FakeStep[]) {
  return startSession({ ...options, model: countless(contextWindow, ...steps) })
}

function countless(contextWindow: number | undefined, ...steps: FakeStep[]) {
  const fake = createFakeModel(...steps)
  return {
    ...fake,
    ...(contextWindow !== undefined && { contextWindow }),
    async *stream(...args: Parameters<typeof fake.stream>) {
      for await (const output of fake.stream(...args))
        yield output.type === 'finished' ? { ...output, usage: { inputTokens: 0, outputTokens: 0 } } : output
    },
  }
}

const compactions = (events: readonly RecordedEvent[]) =>
  events.filter((event) => event.type === 'compaction.started' || event.type === 'compaction.ended')

const given = (requests: readonly { readonly messages: readonly { content: Parameters<typeof textOf>[0] }[] }[]) =>
  requests.map(({ messages }) => messages.map(({ content }) => textOf(content).slice(0, 12)))

describe('an automatic compaction', () => {
  it('happens before the model call that would come near the window, and keeps the newest', async () => {
    const test = await startWith(1_000)
    test.model.push(
      long('one'),
      long('two'),
      long('three'),
      [says('All of it.'), finishes()],
      [says('done'), finishes()],
    )
    for (const input of ['a', 'b', 'c', 'd']) {
      await test.say(input)
      await test.untilRest()
    }
    const events = await test.events()
    expect(compactions(events)).toMatchObject([
      { type: 'compaction.started', trigger: 'auto', model: 'fake/model' },
      { type: 'compaction.ended', outcome: 'completed', summary: 'All of it.' },
    ])
    const [started, ended] = compactions(events)
    const before = started?.type === 'compaction.started' ? started.tokensBefore : 0
    const after = ended?.type === 'compaction.ended' ? (ended.tokensAfter ?? 0) : 0
    expect(before).toBeGreaterThan(800)
    expect(after).toBeLessThan(before / 2)
    const asked = test.model.requests.find(({ purpose }) => purpose === 'summary')
    expect(asked?.messages.length).toBeGreaterThan(3)
    expect(asked?.tools).toEqual([])
    expect(given(test.model.requests).at(-1)).toEqual(['The conversa', 'three word w', 'd'])
  })

  it('does not change the full history, and shows the summary in the compacted one', async () => {
    const test = await startWith(1_000)
    test.model.push(long('one'), long('two'), long('three'), [says('All of it.'), finishes()])
    for (const input of ['a', 'b', 'c', 'd']) {
      await test.say(input)
      await test.untilRest()
    }
    const full = await test.engine.readHistory(test.user, test.sessionId, 'full')
    expect(full.filter(({ role }) => role === 'user')).toHaveLength(4)
    expect(full).toHaveLength(8)
    const compacted = await test.engine.readHistory(test.user, test.sessionId, 'compacted')
    expect(JSON.stringify(compacted[0])).toContain('All of it.')
    expect(compacted.length).toBeLessThan(full.length)
  })

  it('in the middle of a turn keeps calls with their results, and what the user asked for', async () => {
    const tool = createFakeTool('look', { run: () => ({ content: LONG }) })
    const look = (id: string): FakeStep => [calls(id, 'look', { at: id }), finishes('tool-calls')]
    const test = await startWith(1_000, { tools: [tool] }, look('a'), look('b'), look('c'), [
      says('Looked.'),
      finishes(),
    ])
    await test.say('look three times')
    await test.untilRest()
    const last = test.model.requests.at(-1)
    expect(last?.messages.map(({ role }) => role)).toEqual(['user', 'user', 'assistant', 'tool'])
    expect(last?.messages[1]).toEqual({ role: 'user', content: 'look three times' })
    expect((await test.view()).lastOutcome).toBe('finished')
  })

  it('of a session that began with a history loses none of it: what is not kept is summed up', async () => {
    const seed = ['one', 'two', 'three', 'four'].map((name, index): ConversationMessage => {
      const content = `${name} ${LONG}`
      return index % 2 === 0 ? { role: 'user', content } : { role: 'assistant', content }
    })
    const model = countless(1_000, [says('All of it.'), finishes()])
    const test = await startSession({ model }, { seed })
    await test.say('go on')
    await test.untilRest()
    const [asked, answered] = given(test.model.requests)
    for (const name of ['one', 'two', 'three', 'four'])
      expect([...(asked ?? []), ...(answered ?? [])].filter((text) => text.startsWith(name))).toHaveLength(1)
    expect(answered?.[0]).toBe('The conversa')
  })

  it('that fails does not change the context, and after two failures none is tried again', async () => {
    const test = await startWith(1_000)
    const fails: FakeStep = [TOO_LONG]
    test.model.push(long('one'), long('two'), long('three'), fails, long('four'), fails, long('five'), long('six'))
    for (const input of ['a', 'b', 'c', 'd', 'e', 'f']) {
      await test.say(input)
      await test.untilRest()
    }
    expect(compactions(await test.events()).map((event) => ('outcome' in event ? event.outcome : 'started'))).toEqual([
      'started',
      'failed',
      'started',
      'failed',
    ])
    expect((await test.view()).lastOutcome).toBe('finished')
  })

  it('does not happen when the window is unknown', async () => {
    const test = await startWith(undefined)
    test.model.push(long('one'), long('two'), long('three'))
    for (const input of ['a', 'b', 'c', 'd']) {
      await test.say(input)
      await test.untilRest()
    }
    expect(compactions(await test.events())).toEqual([])
  })
})

describe('a context that the provider finds too long', () => {
  it('is compacted once, and the step is asked again', async () => {
    const test = await startWith(undefined)
    test.model.push(
      long('one'),
      long('two'),
      [TOO_LONG],
      [says('All of it.'), finishes()],
      [says('at last'), finishes()],
    )
    for (const input of ['a', 'b', 'c']) {
      await test.say(input)
      await test.untilRest()
    }
    const types = (await test.events())
      .slice(-9)
      .map((event) => `${event.type}${'outcome' in event ? ` ${event.outcome}` : ''}`)
    expect(types).toEqual([
      'turn.started',
      'step.started',
      'step.ended failed',
      'compaction.started',
      'compaction.ended completed',
      'step.started',
      'step.answered',
      'step.ended completed',
      'turn.ended finished',
    ])
  })

  it('fails the turn when it is still too long', async () => {
    const test = await startWith(undefined)
    test.model.push(long('one'), long('two'), [TOO_LONG], [says('All of it.'), finishes()], [TOO_LONG])
    for (const input of ['a', 'b', 'c']) {
      await test.say(input)
      await test.untilRest()
    }
    expect((await test.events()).at(-1)).toMatchObject({ outcome: 'failed', error: { code: 'context-too-long' } })
  })
})

describe('a requested compaction', () => {
  const compact = (test: Awaited<ReturnType<typeof startWith>>) =>
    test.engine.execute({ type: 'compact-session', userId: test.user, sessionId: test.sessionId })

  it('shortens an idle session', async () => {
    const test = await startWith(undefined)
    test.model.push(long('one'), long('two'), [says('All of it.'), finishes()])
    for (const input of ['a', 'b']) {
      await test.say(input)
      await test.untilRest()
    }
    await compact(test)
    await untilQuiet()
    expect(compactions(await test.events())).toMatchObject([
      { trigger: 'manual' },
      { outcome: 'completed', summary: 'All of it.' },
    ])
    expect((await test.view()).status).toBe('idle')
    await test.say('go on')
    await test.untilRest()
    expect(given(test.model.requests).at(-1)).toEqual(['The conversa', 'b', 'two word wor', 'go on'])
  })

  it('blade 107: is refused where the last summary has left nothing to sum up, until more is said', async () => {
    const test = await startWith(undefined)
    test.model.push(long('one'), long('two'), [says('All of it.'), finishes()])
    for (const input of ['a', 'b']) {
      await test.say(input)
      await test.untilRest()
    }
    await compact(test)
    await untilQuiet()
    const asked = test.model.requests.length
    for (let time = 0; time < 3; time += 1) {
      await expect(compact(test)).rejects.toMatchObject({ code: 'nothing-to-compact' })
      await untilQuiet()
    }
    expect(test.model.requests).toHaveLength(asked)
    expect(compactions(await test.events())).toHaveLength(2)
    test.model.push(long('three'), [says('All of that.'), finishes()])
    await test.say('c')
    await test.untilRest()
    await compact(test)
    await untilQuiet()
    expect(compactions(await test.events()).at(-1)).toMatchObject({ outcome: 'completed', summary: 'All of that.' })
  })

  it('fails when the summary would enlarge the context, which stays unchanged', async () => {
    const test = await startSession()
    const wordy = `They greeted each other: ${LONG}`
    test.model.push([says('hello'), finishes()], [says('hi'), finishes()], [says(wordy), finishes()])
    for (const input of ['a', 'b']) {
      await test.say(input)
      await test.untilRest()
    }
    await compact(test)
    await untilQuiet()
    const ended = compactions(await test.events()).at(-1)
    expect(ended).toMatchObject({
      outcome: 'failed',
      error: { code: 'summary-too-long' },
      usage: { inputTokens: 1, outputTokens: 1 },
    })
    expect(ended).not.toHaveProperty('summary')
    await test.say('c')
    await test.untilRest()
    expect(given(test.model.requests).at(-1)).toEqual(['a', 'hello', 'b', 'hi', 'c'])
  })

  it('never says that more is left than there was, whatever the provider has counted', async () => {
    const test = await startSession()
    const terse: FakeStep = [says(LONG), finishes()]
    test.model.push(terse, terse, [says('All of it, in a sentence or two.'), finishes()])
    for (const input of ['a', 'b']) {
      await test.say(input)
      await test.untilRest()
    }
    await compact(test)
    await untilQuiet()
    const [started, ended] = compactions(await test.events())
    const before = started?.type === 'compaction.started' ? started.tokensBefore : 0
    expect(ended).toMatchObject({ outcome: 'completed' })
    expect(ended?.type === 'compaction.ended' && (ended.tokensAfter ?? Infinity) < before).toBe(true)
  })

  it('without effect does not keep the session from compacting by itself', async () => {
    const test = await startWith(1_000)
    const wordy: FakeStep = [says(`Much: ${LONG}`), finishes()]
    test.model.push([says('hello'), finishes()], [says('hi'), finishes()], wordy, wordy)
    for (const input of ['a', 'b']) {
      await test.say(input)
      await test.untilRest()
    }
    for (let time = 0; time < 2; time += 1) {
      await compact(test)
      await untilQuiet()
    }
    test.model.push(long('one'), long('two'), long('three'), [says('All of it.'), finishes()])
    for (const input of ['c', 'd', 'e', 'f']) {
      await test.say(input)
      await test.untilRest()
    }
    expect(compactions(await test.events()).flatMap((event) => ('outcome' in event ? [event.outcome] : []))).toEqual([
      'failed',
      'failed',
      'completed',
    ])
  })

  it('is refused while a turn runs, and where there is nothing to compact', async () => {
    const test = await startWith(undefined)
    await expect(compact(test)).rejects.toThrow('nothing to compact')
    test.model.push(long('one'), long('two'), [hangs])
    for (const input of ['a', 'b']) {
      await test.say(input)
      await test.untilRest()
    }
    await test.say('c')
    await untilQuiet()
    await expect(compact(test)).rejects.toThrow('already running')
  })

  it('blade 106: is refused as busy in the first turn of a session too, and while another is under way', async () => {
    const test = await startWith(undefined)
    test.model.push([hangs])
    await test.say('a')
    await untilQuiet()
    await expect(compact(test)).rejects.toMatchObject({ code: 'session-busy' })
    await test.cancel()
    await test.untilRest()
    test.model.push(long('one'), long('two'), [hangs])
    for (const input of ['b', 'c']) {
      await test.say(input)
      await test.untilRest()
    }
    await compact(test)
    await untilQuiet()
    await expect(compact(test)).rejects.toMatchObject({ code: 'session-busy' })
  })

  it('that a crash cut short has done nothing, and the session continues', async () => {
    const first = await startWith(undefined)
    first.model.push(long('one'), long('two'), [hangs])
    for (const input of ['a', 'b']) {
      await first.say(input)
      await first.untilRest()
    }
    await compact(first)
    await untilQuiet()
    const second = await restart(first)
    await untilQuiet()
    expect(compactions(await second.events())).toMatchObject([
      { trigger: 'manual' },
      { outcome: 'failed', error: { code: 'interrupted' } },
    ])
    await second.say('go on')
    await second.untilRest()
    expect((await second.view()).lastOutcome).toBe('finished')
  })
})

describe('a crash while a turn compacts', () => {
  it('is followed by another attempt', async () => {
    const first = await startWith(1_000)
    first.model.push(long('one'), long('two'), long('three'), [hangs])
    for (const input of ['a', 'b', 'c']) {
      await first.say(input)
      await first.untilRest()
    }
    await first.say('d')
    await untilQuiet()
    const model = createFakeModel([says('All of it.'), finishes()])
    const second = await restart(first, { model: { ...model, contextWindow: 1_000 } })
    await second.untilRest()
    expect(compactions(await second.events()).map((event) => ('outcome' in event ? event.outcome : 'started'))).toEqual(
      ['started', 'failed', 'started', 'completed'],
    )
    expect((await second.view()).lastOutcome).toBe('finished')
  })

  it('never counts against compacting', async () => {
    const first = await startWith(1_000)
    first.model.push(long('one'), long('two'), long('three'), [hangs])
    for (const input of ['a', 'b', 'c']) {
      await first.say(input)
      await first.untilRest()
    }
    await first.say('d')
    await untilQuiet()
    const second = await restart(first, { model: { ...createFakeModel([hangs]), contextWindow: 1_000 } })
    await untilQuiet()
    const model = createFakeModel([says('All of it.'), finishes()])
    const third = await restart(second, { model: { ...model, contextWindow: 1_000 } })
    await third.untilRest()
    expect(compactions(await third.events()).map((event) => ('outcome' in event ? event.outcome : 'started'))).toEqual([
      'started',
      'failed',
      'started',
      'failed',
      'started',
      'completed',
    ])
  })
})
