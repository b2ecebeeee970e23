import { KEPT_LIMITS, asUserId, type KeptEntry, type KeptStore } from '@polylogue/engine'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FakeClock } from './fake-clock.ts'

/** A kept store that only one test uses. */
export interface OpenedKeptStore {
  readonly store: KeptStore
  readonly clock: FakeClock
  /** Closes the store and opens its database again. Absent: the store itself must still have everything. */
  readonly reopen?: () => Promise<KeptStore>
  /** Closes the store and removes its files. */
  close(): Promise<void>
}

const ADA = asUserId('ada')
const GRACE = asUserId('grace')
const MINUTE_MS = 60_000

export function keptStoreContract(name: string, open: () => Promise<OpenedKeptStore>): void {
  describe(`${name} keeps the contract of a kept store`, () => {
    let opened: OpenedKeptStore | undefined
    beforeEach(async () => {
      opened = await open()
    })
    afterEach(async () => {
      await opened?.close()
      opened = undefined
    })
    const subject = (): OpenedKeptStore => {
      if (opened === undefined) throw new Error('the store is opened before each test')
      return opened
    }
    const entry = (hash: string, other: Partial<KeptEntry> = {}): KeptEntry => ({
      hash,
      userId: ADA,
      content: `rooms of ${hash}`,
      expiresAt: subject().clock.now() + MINUTE_MS,
      ...other,
    })

    it('gives an entry back as it was, once', async () => {
      const { store } = subject()
      const kept = entry('h1', { content: '{"emoji":"\u{1F600}"}' })
      await store.keep(kept)
      expect(await store.take(ADA, 'h2')).toBeUndefined()
      expect(await store.take(ADA, 'h1')).toEqual(kept)
      expect(await store.take(ADA, 'h1')).toBeUndefined()
    })

    it('gives the newest content of an entry', async () => {
      const { store } = subject()
      await store.keep(entry('h1', { content: 'old' }))
      await store.keep(entry('h1', { content: 'new' }))
      expect((await store.take(ADA, 'h1'))?.content).toBe('new')
      expect(await store.take(ADA, 'h1')).toBeUndefined()
    })

    it('keeps the entries of users apart, even under one hash', async () => {
      const { store } = subject()
      await store.keep(entry('h1'))
      expect(await store.take(GRACE, 'h1')).toBeUndefined()
      await store.keep(entry('h1', { userId: GRACE, content: 'of grace' }))
      expect((await store.take(ADA, 'h1'))?.content).toBe('rooms of h1')
      expect((await store.take(GRACE, 'h1'))?.content).toBe('of grace')
    })

    it('gives an entry to one of several callers', async () => {
      const { store } = subject()
      await store.keep(entry('h1'))
      const taken = await Promise.all(Array.from({ length: 20 }, () => store.take(ADA, 'h1')))
      expect(taken.filter((found) => found !== undefined).length).toBe(1)
    })

    it('does not give an expired entry, and keeping it again extends it', async () => {
      const { store, clock } = subject()
      for (const hash of ['h1', 'h2', 'h3']) await store.keep(entry(hash))
      clock.advance(MINUTE_MS - 1)
      expect(await store.take(ADA, 'h1')).toBeDefined()
      await store.keep(entry('h2'))
      clock.advance(1)
      expect(await store.take(ADA, 'h2')).toBeDefined()
      expect(await store.take(ADA, 'h3')).toBeUndefined()
    })

    it('keeps a bounded number of entries for each user, those written last', async () => {
      const { store } = subject()
      await store.keep(entry('of grace', { userId: GRACE }))
      await store.keep(entry('rewritten'))
      const hashes = Array.from({ length: KEPT_LIMITS.perUser - 1 }, (_, index) => `h${index}`)
      await Promise.all(hashes.map((hash) => store.keep(entry(hash))))
      await store.keep(entry('rewritten'))
      await store.keep(entry('last'))
      expect(await store.take(ADA, 'h0')).toBeUndefined()
      for (const hash of ['h1', 'rewritten', 'last']) expect(await store.take(ADA, hash)).toBeDefined()
      expect(await store.take(GRACE, 'of grace')).toBeDefined()
    })

    it('refuses content beyond its limit', async () => {
      const { store } = subject()
      await store.keep(entry('h1', { content: 'x'.repeat(KEPT_LIMITS.content) }))
      await expect(store.keep(entry('h2', { content: 'x'.repeat(KEPT_LIMITS.content + 1) }))).rejects.toThrow(
        RangeError,
      )
      expect(await store.take(ADA, 'h2')).toBeUndefined()
    })

    it('knows the entries when it is opened again', async () => {
      const { store, reopen } = subject()
      await store.keep(entry('h1'))
      await store.keep(entry('h2'))
      await store.take(ADA, 'h2')
      const again = (await reopen?.()) ?? store
      expect(await again.take(ADA, 'h2')).toBeUndefined()
      expect(await again.take(ADA, 'h1')).toEqual(entry('h1'))
    })
  })
}
