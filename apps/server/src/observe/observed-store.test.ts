import { asSessionId, asTurnId, asUserId, type AppendRequest, type StorageFault } from '@polylogue/engine'
import { createFakeClock, createMemoryEventStore, eventStoreContract } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { observeStore, type StoreObserver } from './observed-store.ts'

const NOBODY: StoreObserver = {
  appended: () => undefined,
  deleted: () => undefined,
  released: () => undefined,
  lost: () => undefined,
  committed: () => undefined,
  fault: () => undefined,
}

function create(sessionId: string): AppendRequest {
  return {
    sessionId: asSessionId(sessionId),
    expectedSeq: 0,
    create: { userId: asUserId('anna') },
    at: 1,
    events: [{ type: 'turn.resumed', turnId: asTurnId('turn_1') }],
    wanted: false,
  }
}

eventStoreContract('an observed store', async () => {
  const clock = createFakeClock()
  const store = observeStore(createMemoryEventStore({ clock }), NOBODY)
  return { store, clock, close: () => store.close() }
})

describe('an observed store', () => {
  it('reports appends and deletions, not conflicts', async () => {
    const told: string[] = []
    const store = observeStore(createMemoryEventStore({ clock: createFakeClock() }), {
      ...NOBODY,
      appended: ({ sessionId }, seconds) => told.push(`appended ${sessionId} ${seconds >= 0}`),
      deleted: (sessionId) => told.push(`deleted ${sessionId}`),
    })
    await store.append(create('a'))
    expect(await store.append(create('a'))).toMatchObject({ type: 'conflict' })
    await store.deleteSession(asSessionId('a'))
    await store.deleteSession(asSessionId('a'))
    expect(told).toEqual(['appended a true', 'deleted a'])
  })

  it('reports sessions lost to another runner, and deleted ones', async () => {
    const told: string[] = []
    const clock = createFakeClock()
    const memory = createMemoryEventStore({ clock })
    const store = observeStore(memory, { ...NOBODY, lost: (sessionId) => told.push(sessionId) })
    await store.append(create('a'))
    const fence = await store.claim(asSessionId('a'), 'us', 10)
    await memory.dropLeases()
    await memory.claim(asSessionId('a'), 'them', 10)
    const { create: _create, ...more } = create('a')
    expect(await store.append({ ...more, expectedSeq: 1, ...(fence && { fence }) })).toMatchObject({ reason: 'fenced' })
    expect(await store.renew('us', [asSessionId('a')], 10)).toEqual(['a'])
    await memory.deleteSession(asSessionId('a'))
    expect(await store.append({ ...more, expectedSeq: 1 })).toMatchObject({ reason: 'session-gone' })
    expect(told).toEqual(['a', 'a', 'a'])
  })

  it('reports how many writes became durable together', async () => {
    const sizes: number[] = []
    const store = observeStore(createMemoryEventStore({ clock: createFakeClock() }), {
      ...NOBODY,
      committed: (writes) => sizes.push(writes),
    })
    await Promise.all(['a', 'b', 'c'].map((id) => store.append(create(id))))
    await new Promise((resolve) => setImmediate(resolve))
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(3)
  })

  it('reports faults and passes them on', async () => {
    const faults: StorageFault['kind'][] = []
    const memory = createMemoryEventStore({ clock: createFakeClock() })
    const store = observeStore(memory, { ...NOBODY, fault: ({ kind }) => faults.push(kind) })
    memory.failWrites('full')
    await expect(store.append(create('a'))).rejects.toMatchObject({ kind: 'full' })
    await expect(store.claim(asSessionId('a'), 'me', 1)).rejects.toMatchObject({ kind: 'full' })
    expect(faults).toEqual(['full', 'full'])
  })
})
