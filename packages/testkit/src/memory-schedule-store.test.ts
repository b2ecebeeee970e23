import { createMemoryScheduleStore } from './memory-schedule-store.ts'
import { scheduleStoreContract } from './schedule-store-contract.ts'

scheduleStoreContract('the schedule store in memory', async () => ({
  store: createMemoryScheduleStore(),
  close: async () => {},
}))
