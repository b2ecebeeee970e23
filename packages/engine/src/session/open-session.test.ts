import { describe, expect, it } from 'vitest'
import {
  calls,
  createFakeClock,
  createFakeTool,
  createMemoryEventStore,
  finishes,
  restart,
  startSession,
  untilQuiet,
} from '@polylogue/testkit'
import { evolve, type AppendRequest, type EventStore, type SessionState } from '../index.ts'

function createWatchedStore() {
  const clock = createFakeClock()
  const inner = createMemoryEventStore({ clock })
  const appends: AppendRequest[] = []
  const reads: number[] = []
  const store: EventStore = {
    ...inner,
    append: (request) => (appends.push(request), inner.append(request)),
    readEvents: (sessionId, after, limit) => (reads.push(after), inner.readEvents(sessionId, after, limit)),
  }
  return { clock, store, inner, appends, reads }
}

describe('a snapshot', () => {
  it('is stored with a new session and when the session leaves memory, and equals the fold of the whole log', async () => {
    const { clock, store, appends } = createWatchedStore()
    const test = await startSession({ store, clock, tools: [createFakeTool('t')] })
    await test.engine.start()
    for (const name of ['a', 'b', 'c']) {
      test.model.push([calls(name, 't', { name }), finishes('tool-calls')])
      await test.say('go')
      await test.untilRest()
    }
    const stored = () => appends.flatMap(({ snapshot, events }) => (snapshot === undefined ? [] : [events.length]))
    await untilQuiet()
    expect(stored()).toEqual([1])
    clock.advance(10 * 60_000)
    await untilQuiet()
    expect(stored()).toEqual([1, 0])
    const snapshot = await store.readSnapshot(test.sessionId)
    let state: SessionState | undefined
    for (const recorded of await store.readEvents(test.sessionId, 0, 1_000)) state = evolve(state, recorded)
    expect(snapshot?.seq).toBe(state?.seq)
    expect(JSON.parse(snapshot?.state ?? '')).toEqual(JSON.parse(JSON.stringify(state)))
    expect((await test.view()).status).toBe('idle')
  })

  it('is not stored when a session with few new events leaves memory', async () => {
    const { clock, store, appends } = createWatchedStore()
    const test = await startSession({ store, clock })
    await test.engine.start()
    await test.say('go')
    await test.untilRest()
    clock.advance(10 * 60_000)
    await untilQuiet()
    expect(appends.filter(({ snapshot }) => snapshot !== undefined)).toHaveLength(1)
    expect((await test.view()).lastOutcome).toBe('finished')
  })

  it('is stored every 200 events within one long turn', async () => {
    const { clock, store, appends } = createWatchedStore()
    const test = await startSession({ store, clock, tools: [createFakeTool('t')], maxSteps: 300 })
    for (let index = 0; index < 230; index++)
      test.model.push([calls(`c${index}`, 't', { index }), finishes('tool-calls')])
    await test.say('go')
    await test.untilRest()
    const seqs = appends.flatMap(({ snapshot, expectedSeq, events }) =>
      snapshot === undefined ? [] : [expectedSeq + events.length],
    )
    const folded = appends.flatMap(({ snapshot }) => (snapshot === undefined ? [] : [JSON.parse(snapshot) as unknown]))
    expect(folded).toMatchObject(seqs.map((seq) => ({ seq })))
    const distances = seqs.slice(1).map((seq, index) => seq - (seqs[index] ?? 0))
    expect(distances.every((distance) => distance >= 200 && distance < 210)).toBe(true)
    expect(distances.length).toBe(5)
  })

  it('spares the next engine the log before it', async () => {
    const { clock, store, reads } = createWatchedStore()
    const first = await startSession({ store, clock })
    await first.engine.start()
    for (let turn = 0; turn < 20; turn++) {
      await first.say(`turn ${turn}`)
      await first.untilRest()
    }
    const before = await first.view()
    await untilQuiet()
    clock.advance(10 * 60_000)
    await untilQuiet()
    reads.length = 0
    const second = await restart(first, { store })
    expect(await second.view()).toEqual(before)
    expect(reads).toEqual([before.lastSeq])
  })

  it('and the tail after it give the same session as the whole log', async () => {
    const { clock, store, inner } = createWatchedStore()
    const first = await startSession(
      { store, clock, tools: [createFakeTool('t')] },
      { access: { type: 'listed', tools: [{ name: 't' }] } },
    )
    await first.say('one')
    await first.untilRest()
    first.model.push([calls('a', 't'), finishes('tool-calls')])
    await first.say('two')
    await untilQuiet()
    const withSnapshot = await restart(first, { store })
    const withoutSnapshot = await restart(first, { store: { ...inner, readSnapshot: async () => undefined } })
    expect((await withSnapshot.view()).waitingCalls).toEqual(['a'])
    expect(await withSnapshot.view()).toEqual(await withoutSnapshot.view())
  })
})

describe('a log longer than a page', () => {
  it('is folded to its end', async () => {
    const { clock, store, inner } = createWatchedStore()
    const first = await startSession({ store, clock })
    for (let turn = 0; turn < 180; turn++) {
      await first.say(`turn ${turn}`)
      await first.untilRest()
    }
    const second = await restart(first, { store: { ...inner, readSnapshot: async () => undefined } })
    expect((await second.view()).lastSeq).toBe(1 + 180 * 6)
    await second.say('more')
    await second.untilRest()
    expect(second.model.requests[0]?.messages.length).toBe(361)
    expect((await second.engine.readHistory(second.user, second.sessionId, 'full')).length).toBe(362)
  })
})

describe('a batch that conflicts with a log that does not change', () => {
  it('is given up instead of being tried for ever', async () => {
    const { clock, store, inner } = createWatchedStore()
    let isRefusing = false
    const append: EventStore['append'] = async (request) =>
      isRefusing ? { type: 'conflict', reason: 'name-taken' } : inner.append(request)
    const test = await startSession({ store: { ...store, append }, clock })
    isRefusing = true
    await expect(test.say('one')).rejects.toThrow('conflicts with a log that does not change')
    isRefusing = false
    await test.say('two')
    await test.untilRest()
    expect(await test.view()).toMatchObject({ status: 'idle' })
  })
})

describe('two engines on one store', () => {
  it('see what the other has recorded before they decide', async () => {
    const first = await startSession()
    const second = await restart(first)
    await second.say('from the second')
    await second.untilRest()
    await first.say('from the first')
    await first.untilRest()
    expect(first.model.requests[0]?.messages.map(({ content }) => content)).toMatchObject([
      'from the second',
      [{ text: 'done' }],
      'from the first',
    ])
  })
})
