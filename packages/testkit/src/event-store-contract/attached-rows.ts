import { describe, expect, it } from 'vitest'
import { asEntryId, asTurnId, type Draft } from '@polylogue/engine'
import type { OpenedEventStore } from '../event-store-contract.ts'
import { OTHER_USER, SESSION, STEP, TURN, USER, addition, creation, said, session, textsOf } from './samples.ts'

const draft = (text: string, more: Partial<Draft> = {}): Draft => ({
  stepId: STEP,
  block: 0,
  kind: 'text',
  text,
  ...more,
})

/** All rows that belong to a session besides its events. */
export function describeAttachedRows(subject: () => OpenedEventStore): void {
  describe('a snapshot', () => {
    it('belongs to the seq after its append, and the newest one wins', async () => {
      const { store } = subject()
      await store.append(creation(SESSION, { events: [said('a'), said('b')], snapshot: 'at two' }))
      expect(await store.readSnapshot(SESSION)).toEqual({ seq: 2, state: 'at two' })
      await store.append(addition(SESSION, 2))
      expect(await store.readSnapshot(SESSION)).toEqual({ seq: 2, state: 'at two' })
      const state = JSON.stringify({ text: 'ß🦜'.repeat(100_000) })
      await store.append(addition(SESSION, 3, { snapshot: state }))
      expect(await store.readSnapshot(SESSION)).toEqual({ seq: 4, state })
    })
  })

  describe('a receipt', () => {
    it('returns the turn and where its events begin', async () => {
      const { store } = subject()
      await store.append(creation(SESSION))
      const receipt = { userId: USER, key: 'k', fingerprint: 'f', turnId: asTurnId('turn_9'), firstEvent: 2 }
      await store.append(addition(SESSION, 1, { events: [said('a'), said('b'), said('c')], receipt }))
      expect(await store.findReceipt(USER, SESSION, 'k')).toEqual({ fingerprint: 'f', turnId: 'turn_9', seq: 4 })
    })

    it('is found by its own user, session and key only', async () => {
      const { store } = subject()
      const receipt = { userId: USER, key: 'k', fingerprint: 'f', turnId: TURN, firstEvent: 0 }
      await store.append(creation(session(1), { receipt }))
      await store.append(creation(session(2), { receipt: { ...receipt, fingerprint: 'g' } }))
      await store.append(addition(session(1), 1, { receipt: { ...receipt, userId: OTHER_USER, fingerprint: 'h' } }))
      expect((await store.findReceipt(USER, session(1), 'k'))?.fingerprint).toBe('f')
      expect((await store.findReceipt(USER, session(2), 'k'))?.fingerprint).toBe('g')
      expect((await store.findReceipt(OTHER_USER, session(1), 'k'))?.fingerprint).toBe('h')
      expect(await store.findReceipt(OTHER_USER, session(2), 'k')).toBeUndefined()
      expect(await store.findReceipt(USER, session(1), 'K')).toBeUndefined()
    })
  })

  describe('names', () => {
    it('are taken in their own session only', async () => {
      const { store } = subject()
      await store.append(creation(session(1), { names: ['call_1', 'ünï'] }))
      await store.append(creation(session(2), { names: ['call_1'] }))
      await store.append(addition(session(1), 1, { names: ['call_2'] }))
      const asked = ['call_1', 'call_2', 'call_3', 'ünï', 'CALL_1']
      expect(await store.takenNames(session(1), asked)).toEqual(new Set(['call_1', 'call_2', 'ünï']))
      expect(await store.takenNames(session(2), asked)).toEqual(new Set(['call_1']))
      expect(await store.takenNames(session(1), [])).toEqual(new Set())
    })
  })

  describe('a draft', () => {
    it('is rewritten in place, one for each block', async () => {
      const { store } = subject()
      await store.append(creation(SESSION))
      const fence = await store.claim(SESSION, 'a', 60_000)
      const thought = draft('hm', { kind: 'thinking' })
      expect(await store.saveDrafts(SESSION, fence!, [thought, draft('Hel', { block: 1 })])).toBe(true)
      expect(await store.saveDrafts(SESSION, fence!, [draft('Hello 🦜', { block: 1 })])).toBe(true)
      expect(await store.saveDrafts(SESSION, fence!, [])).toBe(true)
      expect(await store.readDrafts(SESSION)).toEqual([thought, draft('Hello 🦜', { block: 1 })])
    })

    it('comes back at its full length when it was cut in the middle of a character', async () => {
      const { store } = subject()
      await store.append(creation(SESSION))
      const fence = await store.claim(SESSION, 'a', 60_000)
      await store.saveDrafts(SESSION, fence!, [draft('parrot \ud83e')])
      expect(await store.readDrafts(SESSION)).toEqual([draft('parrot \ufffd')])
    })

    it('is refused when the fence no longer holds', async () => {
      const { store, clock } = subject()
      await store.append(creation(SESSION))
      const old = await store.claim(SESSION, 'a', 1_000)
      await store.saveDrafts(SESSION, old!, [draft('mine')])
      clock.advance(1_000)
      const fresh = await store.claim(SESSION, 'b', 1_000)
      expect(await store.saveDrafts(SESSION, old!, [draft('late')])).toBe(false)
      expect(await store.readDrafts(SESSION)).toEqual([draft('mine')])
      await store.release(SESSION, fresh!)
      expect(await store.saveDrafts(SESSION, fresh!, [draft('after release')])).toBe(false)
      expect(await store.saveDrafts(session(2), fresh!, [draft('nowhere')])).toBe(false)
    })

    it('goes with the append that makes it obsolete, the drafts of other steps stay', async () => {
      const { store } = subject()
      await store.append(creation(SESSION))
      const fence = await store.claim(SESSION, 'a', 60_000)
      const other = draft('stays', { stepId: asEntryId('entry_other') })
      await store.saveDrafts(SESSION, fence!, [draft('a'), draft('b', { block: 1 }), other])
      await store.append(addition(SESSION, 1, { fence: fence!, clearDrafts: [STEP] }))
      expect(await store.readDrafts(SESSION)).toEqual([other])
    })

    it('goes with that append also while a save is under way', async () => {
      const { store } = subject()
      await store.append(creation(SESSION))
      const fence = await store.claim(SESSION, 'a', 60_000)
      for (let seq = 1; seq <= 20; seq += 1) {
        const saves = ['a', 'ab', 'abc'].map((text) => store.saveDrafts(SESSION, fence!, [draft(text)]))
        await Promise.all([...saves, store.append(addition(SESSION, seq, { fence: fence!, clearDrafts: [STEP] }))])
        expect(await store.readDrafts(SESSION)).toEqual([])
      }
    })
  })

  describe('a blob', () => {
    it('comes back byte for byte, in its own session only', async () => {
      const { store } = subject()
      const bytes = Uint8Array.from({ length: 3 * 1024 * 1024 }, (_, index) => index % 251)
      await store.append(creation(session(1), { blobs: [{ hash: 'h', mediaType: 'image/png', bytes }] }))
      await store.append(creation(session(2)))
      const blob = await store.readBlob(session(1), 'h')
      expect(blob?.mediaType).toBe('image/png')
      expect(blob && Buffer.compare(blob.bytes, bytes)).toBe(0)
      expect(await store.readBlob(session(2), 'h')).toBeUndefined()
      expect(await store.readBlob(session(1), 'other')).toBeUndefined()
    })

    it('may be given again, and may be empty', async () => {
      const { store } = subject()
      const empty = { hash: 'e', mediaType: 'text/plain', bytes: new Uint8Array() }
      await store.append(creation(SESSION, { blobs: [empty, empty] }))
      await store.append(addition(SESSION, 1, { blobs: [{ ...empty, mediaType: 'other' }] }))
      const blob = await store.readBlob(SESSION, 'e')
      expect(blob?.mediaType).toBe('text/plain')
      expect(blob?.bytes.length).toBe(0)
    })
  })

  describe('a secret', () => {
    it('is replaced by a newer one of its name', async () => {
      const { store } = subject()
      await store.append(
        creation(SESSION, {
          secrets: [
            { name: 'token', sealed: Uint8Array.of(7) },
            { name: 'apiKey', sealed: Uint8Array.of(1, 2) },
          ],
        }),
      )
      await store.append(addition(SESSION, 1, { secrets: [{ name: 'apiKey', sealed: Uint8Array.of(3) }] }))
      const secrets = await store.readSecrets(SESSION)
      expect(secrets.map(({ name, sealed }) => [name, [...sealed]])).toEqual([
        ['apiKey', [3]],
        ['token', [7]],
      ])
    })
  })

  describe('what was acknowledged', () => {
    it('is there when the store is opened again', async () => {
      const { store, reopen } = subject()
      await store.append(
        creation(SESSION, {
          events: [said('a'), said('b')],
          wanted: true,
          summary: 'sum',
          snapshot: 'state',
          receipt: { userId: USER, key: 'k', fingerprint: 'f', turnId: TURN, firstEvent: 1 },
          names: ['n'],
          blobs: [{ hash: 'h', mediaType: 'image/png', bytes: Uint8Array.of(1, 2) }],
          secrets: [{ name: 's', sealed: Uint8Array.of(3) }],
        }),
      )
      const fence = await store.claim(SESSION, 'a', 60_000)
      await store.saveDrafts(SESSION, fence!, [draft('half a sen')])
      await store.append(creation(session(2)))
      await store.deleteSession(session(2))

      const again = (await reopen?.()) ?? store
      expect(await textsOf(again, SESSION)).toEqual(['a', 'b'])
      expect(await again.readHead(SESSION)).toEqual({ userId: USER, lastSeq: 2 })
      expect(await again.readSnapshot(SESSION)).toEqual({ seq: 2, state: 'state' })
      expect(await again.readDrafts(SESSION)).toEqual([draft('half a sen')])
      expect(await again.findReceipt(USER, SESSION, 'k')).toEqual({ fingerprint: 'f', turnId: TURN, seq: 2 })
      expect(await again.takenNames(SESSION, ['n'])).toEqual(new Set(['n']))
      expect([...((await again.readBlob(SESSION, 'h'))?.bytes ?? [])]).toEqual([1, 2])
      expect((await again.readSecrets(SESSION)).map(({ name, sealed }) => [name, ...sealed])).toEqual([['s', 3]])
      expect(await again.listSessions({ userId: USER, limit: 5 })).toEqual([{ sessionId: SESSION, summary: 'sum' }])
      expect(await again.claim(SESSION, 'b', 1_000)).toBeUndefined()
      expect((await again.append(addition(SESSION, 2, { fence: fence! }))).type).toBe('appended')
      expect(await again.append(creation(session(2)))).toEqual({ type: 'conflict', reason: 'session-gone' })
      await again.dropLeases()
      expect(await again.claim(SESSION, 'b', 1_000)).toEqual({ owner: 'b', epoch: 2 })
    })
  })
}
