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

/** One store that a test has to itself. */
export interface OpenedEventStore {
  readonly store: EventStore
  /** The clock that the store was opened with. */
  readonly clock: FakeClock
  /** Closes the store and opens its database again; without one, the store itself must still know everything. */
  readonly reopen?: () => Promise<EventStore>
  /** Closes whatever is open and removes what it left. */
  close(): Promise<void>
}

/** What every event store does, whatever database is behind it. Nothing here assumes that a store answers at once. */
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
