import {
  eventStoreContract,
  keptStoreContract,
  keyStoreContract,
  markStoreContract,
  memoryStoreContract,
  ruleStoreContract,
  scheduleStoreContract,
  signInStoreContract,
  userStoreContract,
  usageStoreContract,
} from '@polylogue/testkit'
import { afterAll } from 'vitest'
import { createStoresOpener } from './test-support/test-database.ts'

const stores = createStoresOpener()
afterAll(() => stores.drop())

eventStoreContract('cluster 1: the Postgres store', async () => {
  const { stores: all, clock, reopen, close } = await stores.open()
  return { store: all.events, clock, leases: 'owner', close, reopen: async () => (await reopen()).events }
})

keyStoreContract('cluster 1: the Postgres key store', async () => {
  const { clock, reopen, close } = await stores.open()
  // A store remembers key uses in memory.
  return { store: (await reopen()).keys, clock, close, reopen: async () => (await reopen()).keys }
})

ruleStoreContract('cluster 1: the Postgres rule store', async () => {
  const { stores: all, reopen, close } = await stores.open()
  return { store: all.rules, close, reopen: async () => (await reopen()).rules }
})

memoryStoreContract('cluster 1: the Postgres memory store', async () => {
  const { stores: all, clock, reopen, close } = await stores.open()
  return { store: all.memories, clock, close, reopen: async () => (await reopen()).memories }
})

usageStoreContract('cluster 1: the Postgres usage store', async () => {
  const { stores: all, reopen, close } = await stores.open()
  return { usage: all.usage, events: all.events, close, reopen: async () => (await reopen()).usage }
})

scheduleStoreContract('cluster 1: the Postgres schedule store', async () => {
  const { stores: all, reopen, close } = await stores.open()
  return { store: all.schedules, close, reopen: async () => (await reopen()).schedules }
})

userStoreContract('cluster 1: the Postgres user store', async () => {
  const { stores: all, reopen, close } = await stores.open()
  return { store: all.users, close, reopen: async () => (await reopen()).users }
})

signInStoreContract('cluster 1: the Postgres sign-in store', async () => {
  const { stores: all, clock, reopen, close } = await stores.open()
  return { store: all.signIns, clock, close, reopen: async () => (await reopen()).signIns }
})

keptStoreContract('cluster 1: the Postgres kept store', async () => {
  const { stores: all, clock, reopen, close } = await stores.open()
  return { store: all.kept, clock, close, reopen: async () => (await reopen()).kept }
})

markStoreContract('cluster 1: the Postgres mark store', async () => {
  const { stores: all, reopen, close } = await stores.open()
  return { events: all.events, store: all.marks, close, reopen: async () => (await reopen()).marks }
})
