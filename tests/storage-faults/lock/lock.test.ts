import { expect, it } from 'vitest'
import { COUNTS } from '../counts.ts'
import { holdAll } from './hold-all.ts'
import { waitBehindLock } from './wait-behind-lock.ts'

it('a lock or a reader of another process costs time, never acknowledged data', async () => {
  expect((await holdAll(COUNTS.lock.test)).failed).toEqual([])
}, 60_000)

it('a store that waits inside SQLite, and stops everything else meanwhile, is found out', async () => {
  const pragma = 'busy_timeout = 2000'
  const outcome = await waitBehindLock({ holdMs: 2_200, busyWaitMs: 100, manner: 'released', stores: 1, pragma })
  expect(outcome.join()).toMatch(/the event loop stood still for \d+/)
}, 30_000)
