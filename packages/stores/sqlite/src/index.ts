export { openOwnedStores } from './open-owned-stores.ts'
export { openSqliteStores, type SqliteStoresOptions } from './open-sqlite-stores.ts'
export { acquireOwnerLock, type OwnerLock } from './owner-lock.ts'
export { createSqliteStorage } from './sqlite-storage.ts'
