export { openPostgresStores, type PostgresStoresOptions } from './open-postgres-stores.ts'
export { createPostgresStorage } from './postgres-storage.ts'
