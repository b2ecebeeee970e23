export { inspectDatabase, type DatabaseInspection, type StoredEvent, type StoredSession } from './inspect-database.ts'
export { openSqliteStores, type SqliteStores, type SqliteStoresOptions } from './open-sqlite-stores.ts'
export { acquireOwnerLock, type OwnerLock } from './owner-lock.ts'
