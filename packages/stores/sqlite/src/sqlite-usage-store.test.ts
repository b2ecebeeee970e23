import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFakeClock, usageStoreContract } from '@polylogue/testkit'
import { openSqliteStores, type SqliteStores } from './open-sqlite-stores.ts'

usageStoreContract('the SQLite usage store', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'polylogue-usage-'))
  const clock = createFakeClock()
  const open = (): Promise<SqliteStores> => openSqliteStores({ file: join(directory, 'polylogue.db'), clock })
  let stores = await open()
  return {
    events: stores.events,
    usage: stores.usage,
    async reopen() {
      await stores.close()
      stores = await open()
      return stores.usage
    },
    async close() {
      await stores.close()
      rmSync(directory, { recursive: true })
    },
  }
})
