import { createFakeClock } from './fake-clock.ts'
import { keptStoreContract } from './kept-store-contract.ts'
import { createMemoryKeptStore } from './memory-kept-store.ts'

keptStoreContract('the memory kept store', async () => {
  const clock = createFakeClock()
  return { store: createMemoryKeptStore({ clock }), clock, close: async () => {} }
})
