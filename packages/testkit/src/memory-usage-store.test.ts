import { createFakeClock } from './fake-clock.ts'
import { createMemoryEventStore } from './memory-event-store.ts'
import { usageStoreContract } from './usage-store-contract.ts'

usageStoreContract('the memory usage store', async () => {
  const events = createMemoryEventStore({ clock: createFakeClock() })
  return { events, usage: events.usage, close: () => events.close() }
})
