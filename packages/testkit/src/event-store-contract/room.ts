import { PAGE_BYTES, storedBytesOf, type EventStore, type SessionId, type SessionRow } from '@polylogue/engine'
import { describe, expect, it } from 'vitest'
import type { OpenedEventStore } from '../event-store-contract.ts'
import { OTHER_USER, SESSION, USER, addition, appended, conflict, creation, said, session } from './samples.ts'

const KIBIBYTE = 1024
const big = (bytes: number) => said('x'.repeat(bytes))
const plenty = Number.MAX_SAFE_INTEGER

export function describeRoom(subject: () => OpenedEventStore): void {
  describe('the bytes of sessions and users', () => {
    it('grow with every append and shrink with a deletion', async () => {
      const { store, reopen } = subject()
      expect(await store.storedBytes(USER)).toBe(0)
      await store.append(creation(session(1), { events: [big(10 * KIBIBYTE)] }))
      const first = await store.storedBytes(USER)
      expect(first).toBeGreaterThan(10 * KIBIBYTE)
      expect(first).toBeLessThan(11 * KIBIBYTE)
      await store.append(creation(session(2), { events: [big(5 * KIBIBYTE)] }))
      await store.append(addition(session(2), 1, { events: [said('\u{1F600}')] }))
      const all = await store.storedBytes(USER)
      expect(all).toBeGreaterThan(15 * KIBIBYTE)
      expect(await store.storedBytes(OTHER_USER)).toBe(0)
      await store.deleteSession(session(2))
      const again = (await reopen?.()) ?? store
      expect(await again.storedBytes(USER)).toBe(first)
      await again.deleteSession(session(1))
      expect(await again.storedBytes(USER)).toBe(0)
    })

    it('count attachments once, and secrets', async () => {
      const { store } = subject()
      const blob = { hash: 'h', mediaType: 'image/png', bytes: new Uint8Array(20 * KIBIBYTE) }
      const secrets = [{ name: 'apiKey', sealed: new Uint8Array(100) }]
      await store.append(creation(SESSION, { blobs: [blob], secrets }))
      const once = await store.storedBytes(USER)
      expect(once).toBeGreaterThan(storedBytesOf({ blobs: [blob], secrets }, []))
      await store.append(addition(SESSION, 1, { blobs: [blob] }))
      expect((await store.storedBytes(USER)) - once).toBeLessThan(KIBIBYTE)
    })

    it('are limited for a session: an append beyond the room leaves no trace', async () => {
      const { store } = subject()
      const room = { session: 10 * KIBIBYTE, user: plenty }
      expect(await store.append(creation(session(1), { room, events: [big(11 * KIBIBYTE)] }))).toEqual(
        conflict('session-full'),
      )
      expect(await store.readHead(session(1))).toBeUndefined()
      await store.append(creation(session(1), { room, events: [big(6 * KIBIBYTE)] }))
      const before = await store.storedBytes(USER)
      const more = addition(session(1), 1, { room, events: [big(6 * KIBIBYTE)], summary: 'new' })
      expect(await store.append(more)).toEqual(conflict('session-full'))
      expect(await store.storedBytes(USER)).toBe(before)
      expect(await store.append(addition(session(1), 1, { room, events: [big(1 * KIBIBYTE)] }))).toEqual(appended(2))
      expect(await store.append(creation(session(2), { room, events: [big(6 * KIBIBYTE)] }))).toEqual(appended(1))
    })

    it('are limited for a user, whatever others store', async () => {
      const { store } = subject()
      const room = { session: plenty, user: 10 * KIBIBYTE }
      await store.append(creation(session(1), { room, events: [big(6 * KIBIBYTE)] }))
      const second = creation(session(2), { room, events: [big(6 * KIBIBYTE)] })
      expect(await store.append(second)).toEqual(conflict('user-full'))
      expect(await store.append({ ...second, create: { userId: OTHER_USER } })).toEqual(appended(1))
      await store.deleteSession(session(1))
      expect(await store.append(creation(session(3), { room, events: [big(6 * KIBIBYTE)] }))).toEqual(appended(1))
    })

    it('are limited within one group commit', async () => {
      const { store } = subject()
      const room = { session: plenty, user: 50 * KIBIBYTE }
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          store.append(creation(session(index + 1), { room, events: [big(9 * KIBIBYTE)] })),
        ),
      )
      expect(results.filter(({ type }) => type === 'appended').length).toBe(5)
      expect(await store.storedBytes(USER)).toBeLessThanOrEqual(50 * KIBIBYTE)
    })
  })

  describe('a page of large summaries', () => {
    const COUNT = 10
    const store = (): EventStore => subject().store
    const fill = async (): Promise<void> => {
      for (let number = 1; number <= COUNT; number += 1) {
        const summary = 'x'.repeat(number === 5 ? 2 * PAGE_BYTES : PAGE_BYTES / 4)
        const listing = { isPinned: false, isStarted: true }
        await store().append(creation(session(number), { at: number, summary, listing }))
      }
    }
    const expectBounded = (rows: readonly SessionRow[]): void => {
      const bytes = rows.reduce((sum, { summary }) => sum + summary.length, 0)
      expect(rows.length <= 1 || bytes <= PAGE_BYTES).toBe(true)
    }
    const ALL = Array.from({ length: COUNT }, (_, index) => session(COUNT - index))

    it('is bounded by bytes in a list, and the next one continues', async () => {
      await fill()
      const seen: SessionId[] = []
      for (let isMore = true; isMore;) {
        const before = seen.at(-1)
        const rows = await store().listSessions({ userId: USER, limit: 100, ...(before && { before }) })
        expectBounded(rows)
        seen.push(...rows.map(({ sessionId }) => sessionId))
        isMore = rows.length > 0
      }
      expect(seen).toEqual(ALL)
    })

    it('is bounded by bytes in a search, and the next one continues', async () => {
      await fill()
      const seen: SessionId[] = []
      for (let isMore = true; isMore;) {
        const { rows, total } = await store().findSessions({ userId: USER, offset: seen.length, limit: 100 })
        expectBounded(rows)
        expect(total).toBe(COUNT)
        seen.push(...rows.map(({ sessionId }) => sessionId))
        isMore = rows.length > 0
      }
      expect(seen).toEqual(ALL)
    })
  })

  describe('a page of large events', () => {
    it('is bounded by bytes, and the next one continues', async () => {
      const { store } = subject()
      const size = PAGE_BYTES / 4
      await store.append(creation(SESSION, { events: Array.from({ length: 10 }, () => big(size)) }))
      await store.append(addition(SESSION, 10, { events: [big(2 * PAGE_BYTES)] }))
      const seqs: number[] = []
      let pages = 0
      for (let after = 0, isMore = true; isMore; pages += 1) {
        const page = await store.readEvents(SESSION, after, 1_000)
        const bytes = page.reduce((sum, { event }) => sum + JSON.stringify(event).length, 0)
        expect(page.length <= 1 || bytes <= PAGE_BYTES).toBe(true)
        seqs.push(...page.map(({ seq }) => seq))
        after = page.at(-1)?.seq ?? after
        isMore = page.length > 0
      }
      expect(seqs).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
      expect(pages).toBeGreaterThan(4)
    })
  })
}
