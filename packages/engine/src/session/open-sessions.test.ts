import { describe, expect, it } from 'vitest'
import {
  calls,
  createFakeClock,
  createFakeTool,
  createMemoryEventStore,
  createReaderLog,
  finishes,
  grant,
  hangs,
  startSession,
  untilQuiet,
} from '@polylogue/testkit'
import type { EventStore, SessionId } from '../index.ts'

/** Counts how often a session is read from its snapshot: whenever it was not in memory. */
async function startWatched(
  options: Parameters<typeof startSession>[0] = {},
  create: Parameters<typeof startSession>[1] = {},
) {
  const clock = createFakeClock()
  const inner = createMemoryEventStore({ clock })
  const loads: SessionId[] = []
  const store: EventStore = {
    ...inner,
    readSnapshot: (sessionId) => (loads.push(sessionId), inner.readSnapshot(sessionId)),
  }
  const test = await startSession({ ...options, store, clock }, create)
  await test.engine.start()
  const wait = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute++) {
      clock.advance(60_000)
      await untilQuiet()
    }
  }
  return { ...test, loads, wait }
}

describe('a session in memory', () => {
  it('stays for five minutes after its last use', async () => {
    const test = await startWatched()
    await test.say('go')
    await test.untilRest()
    await test.wait(4)
    await test.view()
    await test.wait(4)
    await test.view()
    expect(test.loads).toEqual([])
  })

  it('is dropped after five minutes and read again when it is wanted', async () => {
    const test = await startWatched()
    await test.say('go')
    await test.untilRest()
    const before = await test.view()
    await test.wait(7)
    expect(await test.view()).toEqual(before)
    expect(test.loads).toEqual([test.sessionId])
    await test.say('again')
    await test.untilRest()
    expect(test.model.requests[1]?.messages.length).toBe(3)
  })

  it('is dropped sooner when there are very many, the longest unused first', async () => {
    const test = await startWatched()
    const { engine, user: userId, clock } = test
    const create = () => engine.execute({ type: 'create-session', userId, agent: 'tester', access: { type: 'preset' } })
    const old = await Promise.all(Array.from({ length: 600 }, create))
    clock.advance(1_000)
    const young = await Promise.all(Array.from({ length: 600 }, create))
    for (let second = 0; second < 25; second++) {
      clock.advance(1_000)
      await untilQuiet()
    }
    for (const { sessionId } of [...young, ...old]) await engine.readSession(userId, sessionId)
    expect(test.loads).toEqual(old.slice(0, test.loads.length).map(({ sessionId }) => sessionId))
    expect(test.loads.length).toBeGreaterThanOrEqual(200)
    expect(test.loads.length).toBeLessThan(210)
  })

  it('is not dropped while it has a reader', async () => {
    const test = await startWatched()
    const attachment = await test.engine.attach(test.user, test.sessionId, {
      after: { seq: 0 },
      reader: createReaderLog(),
    })
    await test.wait(10)
    await test.view()
    expect(test.loads).toEqual([])
    attachment.detach()
    await test.wait(10)
    await test.view()
    expect(test.loads.length).toBe(1)
  })

  it('is not dropped while a turn runs in it', async () => {
    const test = await startWatched()
    test.model.push([hangs])
    await test.say('go')
    await test.wait(10)
    await test.view()
    expect(test.loads).toEqual([])
  })

  it('is dropped while a turn waits in it, and the wait continues', async () => {
    const tools = [createFakeTool('t')]
    const test = await startWatched({ tools }, { access: { type: 'listed', tools: [{ name: 't' }] } })
    test.model.push([calls('a', 't'), finishes('tool-calls')])
    await test.say('go')
    await test.untilRest()
    await test.wait(10)
    await test.answer(grant('a'))
    await test.untilRest()
    expect(test.loads.length).toBe(1)
    expect((await test.view()).lastOutcome).toBe('finished')
  })

  it('is read once when two ask for it at the same time', async () => {
    const test = await startWatched()
    await test.wait(10)
    await Promise.all([test.view(), test.view(), test.say('go')])
    expect(test.loads.length).toBe(1)
    await test.untilRest()
  })
})

describe('a session whose log has become shorter than what was folded', () => {
  /** A store that was put back to where it was when `cutAt` was set. */
  async function startCut() {
    const clock = createFakeClock()
    const inner = createMemoryEventStore({ clock })
    let cutAt = Infinity
    const store: EventStore = {
      ...inner,
      append: async (request) =>
        request.expectedSeq > cutAt ? { type: 'conflict', reason: 'seq-moved' } : inner.append(request),
      readEvents: async (id, after, limit) =>
        (await inner.readEvents(id, after, limit)).filter(({ seq }) => seq <= cutAt),
      readHead: async (id) => {
        const head = await inner.readHead(id)
        return head && { ...head, lastSeq: Math.min(head.lastSeq, cutAt) }
      },
      readSnapshot: async () => undefined,
    }
    const test = await startSession({ store, clock })
    await test.say('one')
    await test.untilRest()
    return { ...test, cut: (seq: number) => void (cutAt = seq) }
  }

  it('refuses the command instead of retrying forever, ends its readers and is reloaded', async () => {
    const test = await startCut()
    const reader = createReaderLog()
    await test.engine.attach(test.user, test.sessionId, { after: { seq: 0 }, reader })
    test.cut(1)
    await expect(test.say('two')).rejects.toMatchObject({ code: 'storage-unavailable' })
    expect(reader.items.at(-1)).toEqual({ type: 'closed', reason: 'stopping' })
    expect(await test.view()).toMatchObject({ lastSeq: 1, status: 'idle' })
  })

  it('refuses a reader that would wait for events that are gone', async () => {
    const test = await startCut()
    for (let turn = 0; turn < 40; turn += 1) {
      await test.say('more')
      await test.untilRest()
    }
    test.cut(1)
    await expect(
      test.engine.attach(test.user, test.sessionId, { after: { seq: 0 }, reader: createReaderLog() }),
    ).rejects.toMatchObject({
      code: 'storage-unavailable',
    })
    expect(await test.view()).toMatchObject({ lastSeq: 1 })
  })
})
