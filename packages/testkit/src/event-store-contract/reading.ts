import { describe, expect, it } from 'vitest'
import type { AppendRequest, ListingQuery, SessionListing } from '@polylogue/engine'
import type { OpenedEventStore } from '../event-store-contract.ts'
import { OTHER_USER, SESSION, STEP, TURN, USER, addition, creation, said, session, textsOf } from './samples.ts'

export function describeReading(subject: () => OpenedEventStore): void {
  describe('reading', () => {
    it('gives the events after a cursor, ascending, at most as many as asked', async () => {
      const { store } = subject()
      await store.append(creation(SESSION, { events: ['a', 'b', 'c', 'd', 'e'].map(said) }))
      const seqs = async (after: number, limit: number): Promise<number[]> =>
        (await store.readEvents(SESSION, after, limit)).map(({ seq }) => seq)
      expect(await seqs(0, 2)).toEqual([1, 2])
      expect(await seqs(2, 2)).toEqual([3, 4])
      expect(await seqs(4, 2)).toEqual([5])
      expect(await seqs(5, 2)).toEqual([])
      expect(await seqs(99, 2)).toEqual([])
      expect(await seqs(0, 5)).toEqual([1, 2, 3, 4, 5])
      expect(await seqs(0, 0)).toEqual([])
    })

    it('returns the positions of several sessions, and their owners', async () => {
      const { store } = subject()
      await store.append(creation(session(1), { events: [said('a'), said('b')] }))
      await store.append(creation(session(2)))
      const fence = await store.claim(session(2), 'a', 1_000)
      const heads = () => store.readHeads([session(1), session(2), session(9)])
      expect(await heads()).toEqual(
        new Map([
          [session(1), { lastSeq: 2 }],
          [session(2), { lastSeq: 1, owner: 'a' }],
        ]),
      )
      await store.release(session(2), fence!)
      expect((await heads()).get(session(2))).toEqual({ lastSeq: 1 })
      expect(await store.readHeads([])).toEqual(new Map())
    })

    it('finds nothing in a session that never was', async () => {
      const { store } = subject()
      expect(await store.readEvents(SESSION, 0, 10)).toEqual([])
      expect(await store.readHead(SESSION)).toBeUndefined()
      expect(await store.readSnapshot(SESSION)).toBeUndefined()
      expect(await store.readDrafts(SESSION)).toEqual([])
      expect(await store.readSecrets(SESSION)).toEqual([])
      expect(await store.readBlob(SESSION, 'h')).toBeUndefined()
      expect(await store.takenNames(SESSION, ['n'])).toEqual(new Set())
      expect(await store.findReceipt(USER, SESSION, 'k')).toBeUndefined()
      expect(await store.deleteSession(SESSION)).toBe(false)
    })

    it('keeps the events of sessions apart', async () => {
      const { store } = subject()
      await store.append(creation(session(1), { events: [said('one')] }))
      await store.append(creation(session(2), { events: [said('two')] }))
      expect(await textsOf(store, session(1))).toEqual(['one'])
      expect(await textsOf(store, session(2))).toEqual(['two'])
    })
  })

  describe('the list of sessions', () => {
    it("has one user's sessions, newest first, with their summaries", async () => {
      const { store } = subject()
      await store.append(creation(session(1), { summary: 'one' }))
      await store.append(creation(session(3), { summary: 'three' }))
      await store.append(creation(session(2), { create: { userId: OTHER_USER }, summary: 'two' }))
      await store.append(creation(session(4)))
      await store.append(addition(session(1), 1, { summary: 'one, later' }))
      await store.append(addition(session(3), 1))
      expect(await store.listSessions({ userId: USER, limit: 10 })).toEqual([
        { sessionId: session(4), summary: '' },
        { sessionId: session(3), summary: 'three' },
        { sessionId: session(1), summary: 'one, later' },
      ])
      expect(await store.listSessions({ userId: USER, limit: 0 })).toEqual([])
    })

    it('pages without gap or repeat while sessions are being made and deleted', async () => {
      const { store } = subject()
      for (let number = 1; number <= 9; number++) await store.append(creation(session(number * 10)))
      const seen: string[] = []
      let before = undefined
      for (let page = 0; page < 5; page++) {
        const rows = await store.listSessions({ userId: USER, limit: 2, ...(before === undefined ? {} : { before }) })
        seen.push(...rows.map(({ sessionId }) => sessionId))
        before = rows.at(-1)?.sessionId
        await store.append(creation(session(1_000 + page)))
        if (page === 0) await store.deleteSession(session(80))
      }
      expect(seen).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1].map((number) => session(number * 10)))
    })
  })

  describe('finding sessions', () => {
    const list = (number: number, at: number, more: Partial<SessionListing> = {}): AppendRequest =>
      creation(session(number), { at, summary: `${number}`, listing: { isPinned: false, isStarted: true, ...more } })
    const found = async (query: Partial<ListingQuery> = {}): Promise<readonly [string[], number]> => {
      const { rows, total } = await subject().store.findSessions({ userId: USER, offset: 0, limit: 10, ...query })
      return [rows.map(({ summary }) => summary), total]
    }

    it('puts pinned ones first, then the one whose summary was written last', async () => {
      const { store } = subject()
      await store.append(list(1, 10))
      await store.append(list(2, 20, { isPinned: true }))
      await store.append(list(3, 30))
      await store.append({ ...list(4, 40), create: { userId: OTHER_USER } })
      expect(await found()).toEqual([['2', '3', '1'], 3])
      expect(await found({ order: 'newest-first' })).toEqual([['3', '2', '1'], 3])
      await store.append(addition(session(3), 1, { at: 50 }))
      await store.append(
        addition(session(1), 1, { at: 60, summary: '1', listing: { isPinned: false, isStarted: true } }),
      )
      expect(await found()).toEqual([['2', '1', '3'], 3])
      await store.append(
        addition(session(2), 1, { at: 70, summary: '2', listing: { isPinned: false, isStarted: true } }),
      )
      expect(await found()).toEqual([['2', '1', '3'], 3])
    })

    it('goes by the time of the last change where that is given', async () => {
      const { store } = subject()
      await store.append(list(1, 10))
      await store.append(list(2, 20))
      const listing = { isPinned: false, isStarted: true, changedAt: 15 }
      await store.append(addition(session(1), 1, { at: 60, summary: '1', listing }))
      expect(await found()).toEqual([['2', '1'], 2])
    })

    it('finds sessions last listed before a time, of all users, oldest first, without pinned ones', async () => {
      const { store } = subject()
      await store.append(list(1, 30))
      await store.append(list(2, 10))
      await store.append(list(3, 20, { isPinned: true }))
      await store.append({ ...list(4, 20), create: { userId: OTHER_USER } })
      const stale = async (before: number, limit = 10) =>
        (await store.findStale(before, limit)).map(({ userId, sessionId }) => [userId, sessionId])
      expect(await stale(31)).toEqual([
        [USER, session(2)],
        [OTHER_USER, session(4)],
        [USER, session(1)],
      ])
      expect(await stale(30)).toHaveLength(2)
      expect(await stale(31, 1)).toEqual([[USER, session(2)]])
      await store.append(
        addition(session(2), 1, { at: 40, summary: '2', listing: { isPinned: false, isStarted: true } }),
      )
      await store.deleteSession(session(4))
      expect(await stale(31)).toEqual([[USER, session(1)]])
    })

    it('returns a page, and the total count', async () => {
      const { store } = subject()
      for (let number = 1; number <= 5; number++) await store.append(list(number, number))
      expect(await found({ offset: 1, limit: 2 })).toEqual([['4', '3'], 5])
      expect(await found({ offset: 9 })).toEqual([[], 5])
      expect(await found({ limit: 0 })).toEqual([[], 5])
    })

    it('leaves out what does not match', async () => {
      const { store } = subject()
      await store.append(list(1, 1, { title: 'Mend the ROOF', directory: '/a' }))
      await store.append(list(2, 2, { title: '100% of a_b\\c', directory: '/b' }))
      await store.append(list(3, 3, { isStarted: false, directory: '/a' }))
      expect(await found({ directory: '/a' })).toEqual([['3', '1'], 2])
      expect(await found({ directory: '/a', isStarted: true })).toEqual([['1'], 1])
    })

    it('finds nothing of a deleted session', async () => {
      const { store } = subject()
      await store.append(list(1, 1))
      await store.deleteSession(session(1))
      expect(await found()).toEqual([[], 0])
    })
  })

  describe('a deletion', () => {
    it('leaves nothing of the session readable, and is reported once', async () => {
      const { store } = subject()
      await store.append(
        creation(SESSION, {
          wanted: true,
          summary: 's',
          snapshot: 'state',
          receipt: { userId: USER, key: 'k', fingerprint: 'f', turnId: TURN, firstEvent: 0 },
          names: ['n'],
          blobs: [{ hash: 'h', mediaType: 'image/png', bytes: Uint8Array.of(1, 2, 3) }],
          secrets: [{ name: 'apiKey', sealed: Uint8Array.of(9) }],
        }),
      )
      const fence = await store.claim(SESSION, 'a', 1_000)
      await store.saveDrafts(SESSION, fence!, [{ stepId: STEP, block: 0, kind: 'text', text: 'x' }])
      expect(await store.deleteSession(SESSION)).toBe(true)
      expect(await store.deleteSession(SESSION)).toBe(false)

      expect(await store.readHead(SESSION)).toBeUndefined()
      expect(await store.readEvents(SESSION, 0, 10)).toEqual([])
      expect(await store.readSnapshot(SESSION)).toBeUndefined()
      expect(await store.readDrafts(SESSION)).toEqual([])
      expect(await store.findReceipt(USER, SESSION, 'k')).toBeUndefined()
      expect(await store.takenNames(SESSION, ['n'])).toEqual(new Set())
      expect(await store.readBlob(SESSION, 'h')).toBeUndefined()
      expect(await store.readSecrets(SESSION)).toEqual([])
      expect(await store.listSessions({ userId: USER, limit: 10 })).toEqual([])
      expect(await store.wantedSessions(10)).toEqual([])
      expect(await store.claim(SESSION, 'b', 1_000)).toBeUndefined()
      expect(await store.renew('a', [SESSION], 1_000)).toEqual([SESSION])
      expect(await store.saveDrafts(SESSION, fence!, [])).toBe(false)
    })

    it('of a long session hides all of it at once', async () => {
      const { store } = subject()
      const events = Array.from({ length: 2_500 }, (_, index) => said(`event ${index}`))
      const blobs = Array.from({ length: 9 }, (_, index) => ({
        hash: `h${index}`,
        mediaType: 'image/png',
        bytes: new Uint8Array(10_000),
      }))
      await store.append(creation(SESSION, { events, blobs }))
      expect(await store.deleteSession(SESSION)).toBe(true)
      expect(await store.readEvents(SESSION, 0, 10_000)).toEqual([])
      expect(await store.readBlob(SESSION, 'h8')).toBeUndefined()
    })

    it('touches no other session', async () => {
      const { store } = subject()
      await store.append(creation(session(1), { names: ['n'], snapshot: 'state' }))
      await store.append(creation(session(2), { names: ['n'], snapshot: 'state' }))
      await store.deleteSession(session(1))
      expect(await textsOf(store, session(2))).toEqual(['first'])
      expect(await store.takenNames(session(2), ['n'])).toEqual(new Set(['n']))
      expect(await store.readSnapshot(session(2))).toEqual({ seq: 1, state: 'state' })
    })
  })
}
