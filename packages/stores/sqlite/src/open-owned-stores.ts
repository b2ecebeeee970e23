import type { Stores } from '@polylogue/engine'
import { openSqliteStores, type SqliteStoresOptions } from './open-sqlite-stores.ts'
import { acquireOwnerLock } from './owner-lock.ts'

/**
 * Opens the stores of a file, or creates them, and keeps every other process out until they are closed.
 * Rejects with one sentence when the file is in use or may not be used.
 */
export async function openOwnedStores(options: SqliteStoresOptions): Promise<Stores> {
  const lock = acquireOwnerLock(`${options.file}.lock`)
  if (lock === undefined) throw new Error(`${options.file} is in use by another process. Stop it first.`)
  try {
    const stores = await openSqliteStores(options)
    return { ...stores, close: () => stores.close().finally(() => lock.release()) }
  } catch (error) {
    lock.release()
    throw error
  }
}
