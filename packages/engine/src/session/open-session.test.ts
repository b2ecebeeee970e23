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
  it('is stored with a new session and the end of every turn, and equals the fold of the whole log', async () => {
    const { clock, store, appends } = createWatchedStore()
    const test = await startSession({ store, clock, tools: [createFakeTool('t')] })
    test.model.push([calls('a', 't'), finishes('tool-calls')])
    await test.say('go')
    await test.untilRest()
    expect(appends.filter(({ snapshot }) => snapshot !== undefined).map(({ events }) => events.at(-1)?.type)).toEqual([
      'session.created',
      'turn.ended',
    ])
    const snapshot = await store.readSnapshot(test.sessionId)
    let state: SessionState | undefined
    for (const recorded of await store.readEvents(test.sessionId, 0, 1_000)) state = evolve(state, recorded)
    expect(snapshot?.seq).toBe(state?.seq)
    expect(JSON.parse(snapshot?.state ?? '')).toEqual(JSON.parse(JSON.stringify(state)))
  })

  it('is stored every 500 events within one long turn', async () => {
    const { clock, store, appends } = createWatchedStore()
    const test = await startSession({ store, clock, tools: [createFakeTool('t')], maxSteps: 300 })
    for (let index = 0; index < 230; index++)
      test.model.push([calls(`c${index}`, 't', { index }), finishes('tool-calls')])
    await test.say('go')
    await test.untilRest()
    const seqs = appends.flatMap(({ snapshot, expectedSeq, events }) =>
      snapshot === undefined ? [] : [expectedSeq + events.length],
    )
    const last = (await test.view()).lastSeq
    expect(seqs.at(-1)).toBe(last)
    const distances = seqs.slice(1).map((seq, index) => seq - (seqs[index] ?? 0))
    expect(distances.slice(0, -1).every((distance) => distance >= 500 && distance < 510)).toBe(true)
    expect(distances.length).toBe(3)
  })

  it('spares the next engine the log before it', async () => {
    const { clock, store, reads } = createWatchedStore()
    const first = await startSession({ store, clock })
    for (let turn = 0; turn < 20; turn++) {
      await first.say(`turn ${turn}`)
      await first.untilRest()
    }
    const { lastSeq } = await first.view()
    reads.length = 0
    const second = await restart(first, { store })
    expect(await second.view()).toEqual(await first.view())
    expect(reads).toEqual([lastSeq])
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
