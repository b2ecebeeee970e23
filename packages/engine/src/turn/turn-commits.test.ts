import { describe, expect, it, vi } from 'vitest'
import {
  calls,
  createFakeClock,
  createFakeModel,
  createFakeTool,
  createMemoryEventStore,
  createMemoryMemoryStore,
  createTestEngine,
  finishes,
  grant,
  hangs,
  restart,
  result,
  says,
  startSession,
  untilQuiet,
  useSession,
  type TestEngineOptions,
} from '@polylogue/testkit'
import type { AppendRequest, EventStore } from '../ports/event-store.ts'

/** A memory store that lists its commits: the events of each append, with `claim` and `release` where they belong. */
function createCountedStore() {
  const clock = createFakeClock()
  const memory = createMemoryEventStore({ clock })
  const commits: string[][] = []
  const hook: { after?: (request: AppendRequest) => void; isFullFor?: (request: AppendRequest) => boolean } = {}
  const label = ({ events, claim, release }: AppendRequest): string[] => [
    ...(claim === undefined ? [] : ['claim']),
    ...events.map(({ type }) => type),
    ...(release === true ? ['release'] : []),
  ]
  const store: EventStore = {
    ...memory,
    append: async (request) => {
      if (hook.isFullFor?.(request) === true) return { type: 'conflict', reason: 'session-full' }
      const appended = await memory.append(request)
      if (appended.type === 'appended') commits.push(label(request))
      hook.after?.(request)
      return appended
    },
    claim: async (...args) => {
      commits.push(['(claim)'])
      return memory.claim(...args)
    },
    release: async (...args) => {
      commits.push(['(release)'])
      return memory.release(...args)
    },
  }
  return { clock, memory, store, commits, hook }
}

async function startCounted(
  options: Omit<TestEngineOptions, 'store' | 'clock'> = {},
  session: Parameters<typeof startSession>[1] = {},
) {
  const counted = createCountedStore()
  const test = await startSession({ ...options, store: counted.store, clock: counted.clock }, session)
  counted.commits.length = 0
  return { ...counted, test }
}

const giveWay = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const DONE = { content: 'done' }
const ADMITTED = ['claim', 'input.admitted', 'turn.started', 'step.started']
const ENDED = ['step.answered', 'step.ended', 'turn.ended', 'release']

describe('a turn', () => {
  it('without calls makes two commits, and so does the next one', async () => {
    const { test, commits } = await startCounted()
    await test.say('one')
    await test.untilRest()
    await test.say('two')
    await test.untilRest()
    expect(commits).toEqual([ADMITTED, ENDED, ADMITTED, ENDED])
  })

  it('makes one commit before and one after a round of calls', async () => {
    const tools = ['t', 'u', 'v'].map((name) => createFakeTool(name, { effect: 'unsafe' }))
    const { test, commits } = await startCounted({ tools, giveWay })
    test.model.push([calls('a', 't'), calls('b', 'u'), calls('c', 'v'), finishes('tool-calls')])
    await test.say('go')
    await test.untilRest()
    expect(commits).toEqual([
      ADMITTED,
      ['step.answered', ...Array.from({ length: 3 }, () => 'tool-call.started')],
      [...Array.from({ length: 3 }, () => 'tool-call.settled'), 'step.ended', 'step.started'],
      ENDED,
    ])
  })

  it('records a result at once while a slower call of the round still runs', async () => {
    const gate = Promise.withResolvers<{ content: string }>()
    const tools = [createFakeTool('t', { effect: 'unsafe' }), createFakeTool('slow', { run: () => gate.promise })]
    const { test, commits } = await startCounted({ tools, giveWay })
    test.model.push([calls('a', 't'), calls('b', 'slow'), finishes('tool-calls')])
    await test.say('go')
    await vi.waitFor(() => expect(commits.at(-1)).toEqual(['tool-call.settled']))
    gate.resolve({ content: 'done' })
    await test.untilRest()
    expect(commits.slice(-2)).toEqual([['tool-call.settled', 'step.ended', 'step.started'], ENDED])
  })

  it('shares the next commit among results that arrive while one is stored', async () => {
    const gates = new Map(['t', 'u', 'v'].map((name) => [name, Promise.withResolvers<{ content: string }>()]))
    const tools = [...gates].map(([name, { promise }]) => createFakeTool(name, { run: () => promise }))
    const { test, commits, hook } = await startCounted({ tools })
    test.model.push([calls('a', 't'), calls('b', 'u'), calls('c', 'v'), finishes('tool-calls')])
    await test.say('go')
    await untilQuiet()
    hook.after = ({ events }) => {
      if (events.some(({ type }) => type === 'tool-call.settled')) for (const gate of gates.values()) gate.resolve(DONE)
    }
    gates.get('t')?.resolve(DONE)
    await test.untilRest()
    expect(commits.slice(2)).toEqual([
      ['tool-call.settled'],
      ['tool-call.settled', 'tool-call.settled', 'step.ended', 'step.started'],
      ENDED,
    ])
  })

  it('keeps the results that fit when one of the round is too large', async () => {
    const { test, commits, hook } = await startCounted({
      tools: [createFakeTool('t', { effect: 'unsafe' }), createFakeTool('large')],
      giveWay,
    })
    hook.isFullFor = ({ events }) =>
      events.some((event) => event.type === 'tool-call.settled' && event.output === 'large ran')
    test.model.push([calls('a', 't'), calls('b', 'large'), finishes('tool-calls')])
    await test.say('go')
    await test.untilRest()
    expect(commits[2]).toEqual(['tool-call.settled'])
    expect((await test.events()).at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'failed' })
  })

  it('that waits for an approval holds no lease, and the answer claims it again', async () => {
    const access = { type: 'listed', tools: [{ name: 'pay' }] } as const
    const { test, commits, memory } = await startCounted({ tools: [createFakeTool('pay')] }, { access })
    test.model.push([calls('p', 'pay'), finishes('tool-calls')])
    await test.say('go')
    await test.untilRest()
    expect(commits).toEqual([ADMITTED, ['step.answered', 'approval.requested', 'turn.paused', 'release']])
    expect(await memory.claim(test.sessionId, 'somebody else', 0)).toBeDefined()
    commits.length = 0
    await test.answer(grant('p'))
    await test.untilRest()
    expect(commits).toEqual([
      ['claim', 'turn.resumed', 'approval.resolved'],
      ['tool-call.started'],
      ['tool-call.settled', 'step.ended', 'step.started'],
      ENDED,
    ])
  })

  it('does not run a granted call whose start could not be stored', async () => {
    const tool = createFakeTool('pay')
    const access = { type: 'listed', tools: [{ name: 'pay' }] } as const
    const { test, memory, hook } = await startCounted({ tools: [tool] }, { access })
    test.model.push([calls('p', 'pay'), finishes('tool-calls')])
    await test.say('go')
    await test.untilRest()
    hook.after = ({ events }) => {
      if (events.some(({ type }) => type === 'approval.resolved')) memory.failWrites('full')
    }
    await test.answer(grant('p'))
    await untilQuiet()
    expect(tool.invocations).toEqual([])
  })

  it('continues in the commit that holds the result of its client', async () => {
    const clientTools = [{ name: 'local', description: '', parameters: { type: 'object' } }]
    const { test, commits } = await startCounted({}, { clientTools })
    test.model.push([calls('c', 'local'), finishes('tool-calls')])
    await test.say('go')
    await test.untilRest()
    commits.length = 0
    await test.answer(result('c', 'done'))
    await test.untilRest()
    expect(commits).toEqual([['claim', 'turn.resumed', 'tool-call.settled', 'step.ended', 'step.started'], ENDED])
  })

  it('records the memories of its user with the input', async () => {
    const memories = createMemoryMemoryStore({ clock: createFakeClock() })
    const { test, commits } = await startCounted({ memories })
    await memories.addMemory(test.user, { type: 'feedback', content: 'I like green tea' })
    await test.say('green tea?')
    await test.untilRest()
    expect(commits).toEqual([['claim', 'input.admitted', 'turn.started', 'memories.recalled', 'step.started'], ENDED])
  })

  it('asks about its budget first, and starts its step afterwards', async () => {
    const budgets = { currency: 'USD', budgetsOf: () => ({ session: { steps: 1 } }) }
    const { test, commits } = await startCounted({ budgets })
    await test.say('one')
    await test.untilRest()
    commits.length = 0
    await test.say('two')
    await test.untilRest()
    expect(commits[0]).toEqual(['claim', 'input.admitted', 'turn.started'])
    expect(commits[1]?.[0]).toBe('step.started')
    expect((await test.view()).status).toBe('waiting')
  })

  it('leaves the start of its step to the runner when the context may need a compaction', async () => {
    const model = { ...createFakeModel([]), contextWindow: 1_000 }
    const { test, commits } = await startCounted({ model })
    await test.say('one')
    await test.untilRest()
    await test.say('two')
    await test.untilRest()
    await test.say('long '.repeat(700))
    await test.untilRest()
    expect(commits.filter(([first]) => first === 'claim')).toEqual([
      ['claim', 'input.admitted', 'turn.started'],
      ADMITTED,
      ['claim', 'input.admitted', 'turn.started'],
    ])
  })

  it('that is queued starts when the running one ends, with the same lease', async () => {
    const { test, commits } = await startCounted()
    const gate = Promise.withResolvers<void>()
    test.model.push([() => gate.promise, says('one'), finishes('stop')])
    await test.say('one')
    await untilQuiet()
    await test.say('two', { whenRunning: 'queue' })
    gate.resolve()
    await test.untilRest()
    expect(commits).toEqual([
      ADMITTED,
      ['input.admitted'],
      ['step.answered', 'step.ended', 'turn.ended', 'turn.started'],
      ['step.started'],
      ENDED,
    ])
  })
})

describe('an admission', () => {
  it('while another process runs the session records the input without a claim', async () => {
    const { test, commits, memory } = await startCounted()
    await memory.claim(test.sessionId, 'another process', 60_000)
    await test.say('go')
    await untilQuiet()
    expect(commits).toEqual([['input.admitted', 'turn.started'], ['(claim)']])
  })

  it('that cannot be stored leaves the session free for the next one', async () => {
    const { test, commits, memory } = await startCounted()
    memory.failWrites('full')
    await expect(test.say('lost')).rejects.toThrow('disk is full')
    memory.failWrites(undefined)
    await test.say('go')
    await test.untilRest()
    expect(commits).toEqual([ADMITTED, ENDED])
  })

  it('that is refused leaves the session free for the next one', async () => {
    const { test, commits } = await startCounted({ model: createFakeModel([hangs]) })
    await test.say('go')
    await untilQuiet()
    await expect(test.say('again', { whenRunning: 'refuse' })).rejects.toThrow('already running')
    await test.cancel()
    await test.untilRest()
    expect(commits.at(-1)).toEqual(['step.ended', 'turn.ended', 'release'])
  })

  it('that immediately follows the end of a turn is run, in any interleaving', async () => {
    const { test } = await startCounted()
    for (let round = 0; round < 20; round += 1) {
      const ended = test.untilRest()
      await test.say(`turn ${round}`, { whenRunning: 'queue' })
      await ended
    }
    await test.untilRest()
    expect((await test.types()).filter((type) => type === 'turn.ended')).toHaveLength(20)
    expect((await test.view()).status).toBe('idle')
  })

  it('of a process that stops before the step begins hands the turn over', async () => {
    const { test, clock, memory } = await startCounted({ model: createFakeModel([hangs]) })
    await test.say('go')
    await test.engine.stop(0)
    expect((await test.types()).at(-1)).toBe('turn.handed-over')
    const second = createTestEngine({ store: memory, clock })
    await second.engine.start()
    await useSession(second, test.sessionId).untilRest()
    expect((await test.events()).at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'finished' })
  })

  it('of a process that died is repaired as one death', async () => {
    const { test, memory } = await startCounted({ model: createFakeModel([hangs]) })
    await test.say('go')
    await untilQuiet()
    const second = await restart(test, { store: memory })
    await second.untilRest()
    expect(await second.events()).toContainEqual(expect.objectContaining({ type: 'turn.taken-over', count: 1 }))
  })
})
