import type { EventStore, MarkStore } from '@polylogue/engine'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SESSION, creation, session } from './event-store-contract/samples.ts'

/** A pair of stores that only one test uses. */
export interface OpenedMarkStore {
  readonly events: EventStore
  readonly store: MarkStore
  /** Closes the stores and opens their database again. Absent: the store itself must still have everything. */
  readonly reopen?: () => Promise<MarkStore>
  /** Closes the stores and removes their files. */
  close(): Promise<void>
}

const KIND = { door: 'one', format: 2 }
const mark = (seq: number, content = `after ${seq}`) => ({ seq, content })

export function markStoreContract(name: string, open: () => Promise<OpenedMarkStore>): void {
  describe(`${name} keeps the contract of a mark store`, () => {
    let opened: OpenedMarkStore | undefined
    beforeEach(async () => {
      opened = await open()
      await opened.events.append(creation(SESSION))
    })
    afterEach(async () => {
      await opened?.close()
      opened = undefined
    })
    const subject = (): OpenedMarkStore => {
      if (opened === undefined) throw new Error('the store is opened before each test')
      return opened
    }

    it('gives marks back in the order of the log, as they were kept first', async () => {
      const { store } = subject()
      const odd = mark(256, '{"emoji":"\u{1F600}","half":"\\ud800","nul":"\\u0000"}')
      expect(await store.read(SESSION, KIND)).toEqual([])
      await store.keep(SESSION, KIND, [mark(512), odd])
      await store.keep(SESSION, KIND, [mark(512, 'another'), mark(768)])
      expect(await store.read(SESSION, KIND)).toEqual([odd, mark(512), mark(768)])
    })

    it('keeps sessions, doors and formats apart, and removes lower formats of the same door', async () => {
      const { store, events } = subject()
      await events.append(creation(session(2)))
      await store.keep(SESSION, KIND, [mark(1)])
      await store.keep(SESSION, { door: 'two', format: 1 }, [mark(2)])
      await store.keep(session(2), KIND, [mark(3)])
      await store.keep(SESSION, { door: 'one', format: 3 }, [mark(4)])
      expect(await store.read(SESSION, KIND)).toEqual([])
      expect(await store.read(SESSION, { door: 'one', format: 3 })).toEqual([mark(4)])
      expect(await store.read(SESSION, { door: 'two', format: 1 })).toEqual([mark(2)])
      expect(await store.read(session(2), KIND)).toEqual([mark(3)])
      await store.keep(SESSION, KIND, [mark(5)])
      expect(await store.read(SESSION, { door: 'one', format: 3 })).toEqual([mark(4)])
    })

    it('has no marks of a session that does not exist, or no longer', async () => {
      const { store, events } = subject()
      await store.keep(session(2), KIND, [mark(1)])
      await events.append(creation(session(2)))
      expect(await store.read(session(2), KIND)).toEqual([])
      await store.keep(SESSION, KIND, [mark(1)])
      await events.deleteSession(SESSION)
      await store.keep(SESSION, KIND, [mark(2)])
      expect(await store.read(SESSION, KIND)).toEqual([])
    })

    it('knows the marks when it is opened again', async () => {
      const { store, reopen } = subject()
      await store.keep(SESSION, KIND, [mark(256)])
      const again = (await reopen?.()) ?? store
      expect(await again.read(SESSION, KIND)).toEqual([mark(256)])
    })
  })
}
