import { describe, expect, it } from 'vitest'
import { asSessionId, asTurnId, asUserId } from '@polylogue/engine'
import { eventStoreContract } from './event-store-contract.ts'
import { createFakeClock } from './fake-clock.ts'
import { keyStoreContract } from './key-store-contract.ts'
import { createMemoryEventStore } from './memory-event-store.ts'
import { createMemoryKeyStore } from './memory-key-store.ts'

eventStoreContract('the memory store', async () => {
  const clock = createFakeClock()
  const store = createMemoryEventStore({ clock })
  return { store, clock, close: () => store.close() }
})

keyStoreContract('the memory key store', async () => {
  const clock = createFakeClock()
  return { store: createMemoryKeyStore({ clock }), clock, close: async () => {} }
})

describe('the memory store', () => {
  const creation = {
    sessionId: asSessionId('s'),
    expectedSeq: 0,
    create: { userId: asUserId('ada') },
    at: 1,
    events: [{ type: 'turn.paused', turnId: asTurnId('turn_1') } as const],
    wanted: false,
  }

  it('fails writes on purpose, still reads, and recovers on request', async () => {
    const store = createMemoryEventStore({ clock: createFakeClock() })
    store.failWrites('full')
    await expect(store.append(creation)).rejects.toMatchObject({ name: 'StorageFault', kind: 'full' })
    expect(await store.readHead(creation.sessionId)).toBeUndefined()
    store.failWrites(undefined)
    expect(await store.append(creation)).toEqual({ type: 'appended', lastSeq: 1 })
  })

  it('answers nothing after it was closed', async () => {
    const store = createMemoryEventStore({ clock: createFakeClock() })
    await store.close()
    await expect(store.append(creation)).rejects.toMatchObject({ kind: 'broken' })
    await expect(store.readHead(creation.sessionId)).rejects.toMatchObject({ kind: 'broken' })
  })
})
