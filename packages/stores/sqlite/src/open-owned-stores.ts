import type { Stores } from '@polylogue/engine'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { lockDatabase } from './database-lock.ts'
import { openSqliteStores, type SqliteStoresOptions } from './open-sqlite-stores.ts'

/**
 * Opens the stores of a file, or creates them, and keeps every other process out until they are closed.
 * Rejects with one sentence when the file is in use or may not be used.
 */
export async function openOwnedStores(options: SqliteStoresOptions): Promise<Stores> {
  const { file } = options
  if (!existsSync(dirname(file))) throw new Error(`${file} cannot be created: there is no directory ${dirname(file)}.`)
  const lock = lockDatabase(file)
  if (lock === undefined) throw new Error(`${file} is in use by another process. Stop it first.`)
  try {
    const stores = await openSqliteStores(options)
    lock.created()
    return { ...stores, close: () => stores.close().finally(() => lock.release()) }
  } catch (error) {
    lock.release()
    throw error
  }
}
