import { expect, it } from 'vitest'
import { checkOwner } from './check-owner.ts'
import type { LiveFacts } from './live-facts.ts'

const facts: LiveFacts = {
  ...{
    version: '0',
    node: '24',
    phase: 'ready',
    database: 'postgres://db',
    databaseSoftware: 'PostgreSQL 15',
    uptimeS: 1,
  },
  ...{ openStreams: 0, runningTurns: 0, storageFaults: 0, rssBytes: 0 },
}
const storageFinding = async (live: Partial<LiveFacts>) =>
  (await checkOwner({ pid: 1, live: { ...facts, ...live } })).slice(1)

it('a storage that refuses now is a failure, and one that did so before is a warning', async () => {
  expect(await storageFinding({})).toEqual([])
  expect(await storageFinding({ storageFaults: 3, lastStorageFault: 5 })).toMatchObject([
    { status: 'fail', message: 'Its storage has refused 3 times since it started, most recently 5 seconds ago.' },
  ])
  expect(await storageFinding({ storageFaults: 3, lastStorageFault: 600 })).toMatchObject([
    { status: 'warn', message: 'Its storage has refused 3 times since it started, most recently 10 minutes ago.' },
  ])
})
