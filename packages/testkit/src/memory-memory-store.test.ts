import { createFakeClock } from './fake-clock.ts'
import { createMemoryMemoryStore } from './memory-memory-store.ts'
import { memoryStoreContract } from './memory-store-contract.ts'

memoryStoreContract('the memory store in memory', async () => {
  const clock = createFakeClock()
  return { store: createMemoryMemoryStore({ clock }), clock, close: async () => {} }
})
