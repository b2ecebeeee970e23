import type { Stores } from '@polylogue/engine'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createFakeClock,
  eventStoreContract,
  keptStoreContract,
  keyStoreContract,
  markStoreContract,
  signInStoreContract,
  userStoreContract,
} from '@polylogue/testkit'
import { openSqliteStores } from './open-sqlite-stores.ts'

/** Stores with a separate file, which `close` removes. */
async function openStores() {
  const directory = mkdtempSync(join(tmpdir(), 'polylogue-sqlite-'))
  const clock = createFakeClock()
  const open = (): Promise<Stores> => openSqliteStores({ file: join(directory, 'polylogue.db'), clock })
  let stores = await open()
  return {
    stores,
    clock,
    async reopen() {
      await stores.close()
      stores = await open()
      return stores
    },
    async close() {
      await stores.close()
      rmSync(directory, { recursive: true })
    },
  }
}

eventStoreContract('the SQLite store', async () => {
  const { stores, clock, reopen, close } = await openStores()
  return { store: stores.events, clock, close, reopen: async () => (await reopen()).events }
})

keyStoreContract('the SQLite key store', async () => {
  const { stores, clock, reopen, close } = await openStores()
  return { store: stores.keys, clock, close, reopen: async () => (await reopen()).keys }
})

signInStoreContract('the SQLite sign-in store', async () => {
  const { stores, clock, reopen, close } = await openStores()
  return { store: stores.signIns, clock, close, reopen: async () => (await reopen()).signIns }
})

userStoreContract('the SQLite user store', async () => {
  const { stores, reopen, close } = await openStores()
  return { store: stores.users, close, reopen: async () => (await reopen()).users }
})

keptStoreContract('the SQLite kept store', async () => {
  const { stores, clock, reopen, close } = await openStores()
  return { store: stores.kept, clock, close, reopen: async () => (await reopen()).kept }
})

markStoreContract('the SQLite mark store', async () => {
  const { stores, reopen, close } = await openStores()
  return { events: stores.events, store: stores.marks, close, reopen: async () => (await reopen()).marks }
})
