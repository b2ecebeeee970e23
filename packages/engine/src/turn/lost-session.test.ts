import { describe, expect, it } from 'vitest'
import {
  calls,
  createFakeModel,
  createFakeTool,
  createTestEngine,
  finishes,
  hangs,
  restart,
  says,
  settledCalls,
  startSession,
  untilQuiet,
  useSession,
} from '@polylogue/testkit'

const hangingModel = () => createFakeModel([hangs])

describe('a process beside the one that runs the turn', () => {
  it('takes input but runs nothing while the lease holds', async () => {
    const gate = Promise.withResolvers<void>()
    const first = await startSession()
    first.model.push([() => gate.promise, finishes()])
    await first.say('one')
    await untilQuiet()
    const beside = useSession(createTestEngine({ store: first.store, clock: first.clock }), first.sessionId)
    await beside.say('two', { whenRunning: 'queue' })
    await untilQuiet()
    expect(beside.model.requests).toEqual([])
    gate.resolve()
    await untilQuiet()
    expect(first.model.requests.map(({ messages }) => messages.at(-1)?.content)).toEqual(['one', 'two'])
  })
})

describe('a process that lost its session', () => {
  it('records nothing more, whatever its model and tools still do', async () => {
    const gate = Promise.withResolvers<void>()
    const toolGate = Promise.withResolvers<void>()
    const slow = createFakeTool('slow', { run: async () => (await toolGate.promise, { content: 'from the zombie' }) })
    const first = await startSession({ tools: [slow] })
    first.model.push([calls('s', 'slow'), finishes('tool-calls')])
    await first.say('go')
    await untilQuiet()
    const second = await restart(first, { tools: [createFakeTool('slow')] })
    second.model.push([says('mine'), () => gate.promise, finishes()])
    await untilQuiet()
    const before = await second.events()
    toolGate.resolve()
    await untilQuiet()
    expect(await second.events()).toEqual(before)
    gate.resolve()
    await second.untilRest()
    const events = await second.events()
    expect(settledCalls(events)).toEqual([['s', 'completed']])
    expect(JSON.stringify(events)).not.toContain('from the zombie')
    expect(first.logged.filter(({ level }) => level === 'error')).toEqual([])
  })

  it('cannot save drafts', async () => {
    const first = await startSession()
    const more = Promise.withResolvers<void>()
    first.model.push([says('zombie'), () => more.promise, says(' text'), hangs])
    await first.say('go')
    await untilQuiet()
    const second = await restart(first, { model: hangingModel() })
    await untilQuiet()
    more.resolve()
    await untilQuiet()
    first.clock.advance(250)
    await untilQuiet()
    expect(await second.store.readDrafts(second.sessionId)).toEqual([])
  })

  it('stops its tools as soon as it notices', async () => {
    const stopped: boolean[] = []
    const quick = Promise.withResolvers<void>()
    const tools = [
      createFakeTool('quick', { run: async () => (await quick.promise, { content: '' }) }),
      createFakeTool('long', {
        run: ({ signal }) => (signal.addEventListener('abort', () => stopped.push(true)), hangs()),
      }),
    ]
    const first = await startSession({ tools })
    first.model.push([calls('q', 'quick'), calls('l', 'long'), finishes('tool-calls')])
    await first.say('go')
    await untilQuiet()
    await restart(first, { tools: [createFakeTool('quick', { run: hangs }), createFakeTool('long', { run: hangs })] })
    await untilQuiet()
    quick.resolve()
    await untilQuiet()
    expect(stopped).toEqual([true])
  })

  it('stops its model when the lease is not renewed', async () => {
    let isStopped = false
    const first = await startSession()
    first.model.push([(_request, signal) => (signal.addEventListener('abort', () => (isStopped = true)), hangs())])
    await first.say('go')
    await untilQuiet()
    await restart(first, { model: hangingModel() })
    await untilQuiet()
    first.clock.advance(2_000)
    await untilQuiet()
    expect(isStopped).toBe(true)
  })
})
