import { afterEach, beforeEach, describe } from 'vitest'
import type { EventStore } from '@polylogue/engine'
import type { FakeClock } from './fake-clock.ts'
import { describeAppends } from './event-store-contract/appends.ts'
import { describeAttachedRows } from './event-store-contract/attached-rows.ts'
import { describeConcurrency } from './event-store-contract/concurrency.ts'
import { describeLeases } from './event-store-contract/leases.ts'
import { describeReading } from './event-store-contract/reading.ts'
import { describeRoom } from './event-store-contract/room.ts'
import { describeSearching } from './event-store-contract/searching.ts'

/** A store that only one test uses. */
export interface OpenedEventStore {
  readonly store: EventStore
  /** The clock of the store. */
  readonly clock: FakeClock
  /** What has a lease: each session (default), or each owner for all its sessions. */
  readonly leases?: 'session' | 'owner'
  /** Closes the store and opens its database again. Absent: the store itself must still have everything. */
  readonly reopen?: () => Promise<EventStore>
  /** Closes the store and removes its files. */
  close(): Promise<void>
}

/** The contract of every event store, for any database. The tests do not assume that a store answers synchronously. */
export function eventStoreContract(name: string, open: () => Promise<OpenedEventStore>): void {
  describe(`${name} keeps the contract of an event store`, () => {
    let opened: OpenedEventStore | undefined
    beforeEach(async () => {
      opened = await open()
    })
    afterEach(async () => {
      await opened?.close()
      opened = undefined
    })
    const subject = (): OpenedEventStore => {
      if (opened === undefined) throw new Error('the store is opened before each test')
      return opened
    }

    describeAppends(subject)
    describeReading(subject)
    describeSearching(subject)
    describeRoom(subject)
    describeAttachedRows(subject)
    describeLeases(subject)
    describeConcurrency(subject)
  })
}
