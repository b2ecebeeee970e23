import { createFakeClock } from '@polylogue/testkit'
import { openPostgresStores } from '@polylogue/store-postgres'
import { expect, it } from 'vitest'
import { startPostgres } from '../house/start-postgres.ts'

it('cluster 20: a server without fsync is refused in a sentence', async () => {
  const { url, stop } = await startPostgres({ settings: ['fsync=off'] })
  try {
    const opening = openPostgresStores({ url, clock: createFakeClock() })
    await expect(opening).rejects.toThrow(/^PostgreSQL runs with fsync=off and may lose data; set fsync=on\.$/)
  } finally {
    await stop()
  }
})
