import { describe, expect, it } from 'vitest'
import type { OpenedEventStore } from '../event-store-contract.ts'
import {
  AT,
  OTHER_USER,
  SESSION,
  STEP,
  TURN,
  USER,
  addition,
  appended,
  conflict,
  creation,
  said,
  session,
  textsOf,
} from './samples.ts'

export function describeAppends(subject: () => OpenedEventStore): void {
  describe('an append', () => {
    it('creates a session and gives its events the seqs from 1', async () => {
      const { store } = subject()
      expect(await store.append(creation(SESSION, { events: [said('a'), said('b')] }))).toEqual(appended(2))
      expect(await store.readHead(SESSION)).toEqual({ userId: USER, lastSeq: 2 })
      expect(await store.readEvents(SESSION, 0, 10)).toEqual([
        { seq: 1, at: AT, event: said('a') },
        { seq: 2, at: AT, event: said('b') },
      ])
    })

    it('continues where the last one ended', async () => {
      const { store } = subject()
      await store.append(creation(SESSION))
      expect(await store.append(addition(SESSION, 1, { at: AT + 5, events: [said('b'), said('c')] }))).toEqual(
        appended(3),
      )
      expect(await store.append(addition(SESSION, 3, { events: [said('d')] }))).toEqual(appended(4))
      expect(await textsOf(store, SESSION)).toEqual(['first', 'b', 'c', 'd'])
      expect((await store.readEvents(SESSION, 1, 1))[0]?.at).toBe(AT + 5)
    })

    it('without events changes what hangs on the session and keeps its seq', async () => {
      const { store } = subject()
      await store.append(creation(SESSION))
      expect(await store.append(addition(SESSION, 1, { events: [], summary: 'new', wanted: true }))).toEqual(
        appended(1),
      )
      expect(await store.listSessions({ userId: USER, limit: 5 })).toEqual([{ sessionId: SESSION, summary: 'new' }])
      expect(await store.wantedSessions(5)).toEqual([SESSION])
    })

    it('keeps every event unchanged, whatever its text', async () => {
      const { store } = subject()
      const texts = ['', 'ünïcödé 日本語 🦜', 'a\0b', '\ud800 alone', "'; DROP TABLE events; --", '\u2028\n\r\t"\\']
      await store.append(creation(SESSION, { events: texts.map(said) }))
      expect(await textsOf(store, SESSION)).toEqual(texts)
    })

    it('keeps an event of several megabytes', async () => {
      const { store } = subject()
      const text = '0123456789abcdeß'.repeat(256 * 1024)
      await store.append(creation(SESSION, { events: [said(text)] }))
      const [recorded] = await store.readEvents(SESSION, 0, 1)
      expect(recorded?.event).toEqual(said(text))
    })

    it('does not look at the list again after it was called', async () => {
      const { store } = subject()
      const events = [said('a')]
      const appending = store.append(creation(SESSION, { events }))
      events.push(said('b'))
      expect(await appending).toEqual(appended(1))
      expect(await textsOf(store, SESSION)).toEqual(['a'])
    })
  })

  describe('a conflict is a result, and nothing of its append is stored:', () => {
    it('seq-moved when the caller has not seen the newest events', async () => {
      const { store } = subject()
      await store.append(creation(SESSION, { events: [said('a'), said('b')] }))
      expect(await store.append(addition(SESSION, 1))).toEqual(conflict('seq-moved'))
      expect(await store.append(addition(SESSION, 3))).toEqual(conflict('seq-moved'))
      expect(await store.append(addition(SESSION, 0))).toEqual(conflict('seq-moved'))
      expect(await textsOf(store, SESSION)).toEqual(['a', 'b'])
    })

    it('seq-moved when the session to create exists, also one without events and also for another user', async () => {
      const { store } = subject()
      await store.append(creation(SESSION, { events: [] }))
      expect(await store.append(creation(SESSION))).toEqual(conflict('seq-moved'))
      expect(await store.append(creation(SESSION, { create: { userId: OTHER_USER } }))).toEqual(conflict('seq-moved'))
      expect(await store.readHead(SESSION)).toEqual({ userId: USER, lastSeq: 0 })
    })

    it('session-gone when there is no session', async () => {
      const { store } = subject()
      expect(await store.append(addition(SESSION, 0))).toEqual(conflict('session-gone'))
      expect(await store.append(addition(SESSION, 3))).toEqual(conflict('session-gone'))
      expect(await store.append(creation(SESSION, { expectedSeq: 3 }))).toEqual(conflict('session-gone'))
      expect(await store.readHead(SESSION)).toBeUndefined()
    })

    it('session-gone after a deletion, also for an append that would create it again', async () => {
      const { store } = subject()
      await store.append(creation(SESSION))
      await store.deleteSession(SESSION)
      expect(await store.append(addition(SESSION, 1))).toEqual(conflict('session-gone'))
      expect(await store.append(creation(SESSION))).toEqual(conflict('session-gone'))
      expect(await textsOf(store, SESSION)).toEqual([])
    })

    it('fenced when the runner no longer holds the session, even if its seq is old as well', async () => {
      const { store, clock } = subject()
      await store.append(creation(SESSION))
      const old = await store.claim(SESSION, 'a', 1_000)
      expect(await store.append(addition(SESSION, 1, { fence: old! }))).toEqual(appended(2))
      clock.advance(1_000)
      const fresh = await store.claim(SESSION, 'b', 1_000)
      expect(await store.append(addition(SESSION, 2, { fence: old! }))).toEqual(conflict('fenced'))
      expect(await store.append(addition(SESSION, 1, { fence: old! }))).toEqual(conflict('fenced'))
      expect(await store.append(addition(SESSION, 2, { fence: { ...fresh!, owner: 'a' } }))).toEqual(conflict('fenced'))
      expect(await store.append(addition(SESSION, 2, { fence: fresh! }))).toEqual(appended(3))
      expect(await textsOf(store, SESSION)).toEqual(['first', 'after 1', 'after 2'])
    })

    it('receipt-taken when the idempotency key was seen in this session', async () => {
      const { store } = subject()
      const receipt = { userId: USER, key: 'k', fingerprint: 'f', turnId: TURN, firstEvent: 0 }
      await store.append(creation(SESSION, { receipt }))
      const again = addition(SESSION, 1, { receipt: { ...receipt, fingerprint: 'other' }, summary: 'no', names: ['n'] })
      expect(await store.append(again)).toEqual(conflict('receipt-taken'))
      expect(await store.findReceipt(USER, SESSION, 'k')).toEqual({ fingerprint: 'f', turnId: TURN, seq: 1 })
      expect(await store.takenNames(SESSION, ['n'])).toEqual(new Set())
      expect(await store.listSessions({ userId: USER, limit: 5 })).toEqual([{ sessionId: SESSION, summary: '' }])
    })

    it('name-taken when a name was recorded before, or comes twice', async () => {
      const { store } = subject()
      await store.append(creation(SESSION, { names: ['a', 'b'] }))
      expect(await store.append(addition(SESSION, 1, { names: ['c', 'b'] }))).toEqual(conflict('name-taken'))
      expect(await store.append(addition(SESSION, 1, { names: ['d', 'd'] }))).toEqual(conflict('name-taken'))
      expect(await store.append(creation(session(2), { names: ['x', 'x'] }))).toEqual(conflict('name-taken'))
      expect(await store.takenNames(SESSION, ['a', 'b', 'c', 'd'])).toEqual(new Set(['a', 'b']))
      expect(await store.readHead(session(2))).toBeUndefined()
    })

    it('whatever else the append carries', async () => {
      const { store } = subject()
      await store.append(creation(SESSION, { snapshot: 'before' }))
      const fence = await store.claim(SESSION, 'a', 60_000)
      await store.saveDrafts(SESSION, fence!, [{ stepId: STEP, block: 0, kind: 'text', text: 'kept' }])
      const refused = addition(SESSION, 7, {
        wanted: true,
        summary: 'no',
        snapshot: 'no',
        receipt: { userId: USER, key: 'k', fingerprint: 'f', turnId: TURN, firstEvent: 0 },
        names: ['n'],
        blobs: [{ hash: 'h', mediaType: 'image/png', bytes: Uint8Array.of(1) }],
        secrets: [{ name: 's', sealed: Uint8Array.of(1) }],
        clearDrafts: [STEP],
      })
      expect(await store.append(refused)).toEqual(conflict('seq-moved'))
      await store.release(SESSION, fence!)
      expect(await store.wantedSessions(5)).toEqual([])
      expect(await store.readSnapshot(SESSION)).toEqual({ seq: 1, state: 'before' })
      expect(await store.findReceipt(USER, SESSION, 'k')).toBeUndefined()
      expect(await store.takenNames(SESSION, ['n'])).toEqual(new Set())
      expect(await store.readBlob(SESSION, 'h')).toBeUndefined()
      expect(await store.readSecrets(SESSION)).toEqual([])
      expect(await store.readDrafts(SESSION)).toHaveLength(1)
    })
  })
}
