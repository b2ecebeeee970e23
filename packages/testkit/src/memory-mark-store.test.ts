import { createFakeClock } from './fake-clock.ts'
import { markStoreContract } from './mark-store-contract.ts'
import { createMemoryEventStore } from './memory-event-store.ts'
import { createMemoryMarkStore } from './memory-mark-store.ts'

markStoreContract('the memory mark store', async () => {
  const events = createMemoryEventStore({ clock: createFakeClock() })
  return { events, store: createMemoryMarkStore(events), close: () => events.close() }
})
