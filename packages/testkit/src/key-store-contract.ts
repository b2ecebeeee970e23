import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { asUserId, type KeyRecord, type KeyStore, type NewKey } from '@polylogue/engine'
import type { FakeClock } from './fake-clock.ts'

/** A key store that only one test uses. */
export interface OpenedKeyStore {
  readonly store: KeyStore
  /** The clock of the store. */
  readonly clock: FakeClock
  /** Closes the store and opens its database again. Absent: the store itself must still have everything. */
  readonly reopen?: () => Promise<KeyStore>
  /** Closes the store and removes its files. */
  close(): Promise<void>
}

const ADA = asUserId('ada')
const GRACE = asUserId('grace')
const AT = Date.UTC(2026, 0, 1)

const newKey = (id: string, more: Partial<NewKey> = {}): NewKey => ({
  id,
  userId: ADA,
  kind: 'api',
  name: `key ${id}`,
  hash: `hash of ${id}`,
  prefix: 'sk-test-',
  lastFour: 'abcd',
  createdAt: AT,
  ...more,
})

const recordOf = ({ hash: _hash, ...key }: NewKey): KeyRecord => key

export function keyStoreContract(name: string, open: () => Promise<OpenedKeyStore>): void {
  describe(`${name} keeps the contract of a key store`, () => {
    let opened: OpenedKeyStore | undefined
    beforeEach(async () => {
      opened = await open()
    })
    afterEach(async () => {
      await opened?.close()
      opened = undefined
    })
    const subject = (): OpenedKeyStore => {
      if (opened === undefined) throw new Error('the store is opened before each test')
      return opened
    }

    it('finds a key by its hash, and never gives the hash away', async () => {
      const { store } = subject()
      const key = newKey('key_1', { name: 'Läptop 💻', kind: 'browser', expiresAt: AT + 86_400_000 })
      await store.createKey(key)
      expect(await store.findKey(key.hash)).toEqual(recordOf(key))
      expect(await store.findKey('hash of another')).toBeUndefined()
      expect(await store.findKey('')).toBeUndefined()
    })

    it('refuses a second key with the same id or the same hash', async () => {
      const { store } = subject()
      await store.createKey(newKey('key_1'))
      await expect(store.createKey(newKey('key_1', { hash: 'other' }))).rejects.toThrow('key_1')
      await expect(store.createKey(newKey('key_2', { hash: 'hash of key_1' }))).rejects.toThrow('key_2')
      expect(await store.listKeys()).toEqual([recordOf(newKey('key_1'))])
    })

    it('finds a key until it expires', async () => {
      const { store, clock } = subject()
      await store.createKey(newKey('key_1', { expiresAt: clock.now() + 1_000 }))
      clock.advance(999)
      expect((await store.findKey('hash of key_1'))?.id).toBe('key_1')
      clock.advance(1)
      expect(await store.findKey('hash of key_1')).toBeUndefined()
    })

    it('never finds or lists a revoked key again', async () => {
      const { store } = subject()
      await store.createKey(newKey('key_1'))
      await store.createKey(newKey('key_2'))
      expect(await store.revokeKey('key_1')).toBe(true)
      expect(await store.revokeKey('key_1')).toBe(false)
      expect(await store.revokeKey('key_9')).toBe(false)
      expect(await store.findKey('hash of key_1')).toBeUndefined()
      expect((await store.listKeys()).map(({ id }) => id)).toEqual(['key_2'])
    })

    it('lists the keys of one user or of everybody, newest first', async () => {
      const { store } = subject()
      await store.createKey(newKey('key_1', { createdAt: AT + 1 }))
      await store.createKey(newKey('key_2', { createdAt: AT + 3, userId: GRACE }))
      await store.createKey(newKey('key_3', { createdAt: AT + 2 }))
      expect((await store.listKeys()).map(({ id }) => id)).toEqual(['key_2', 'key_3', 'key_1'])
      expect((await store.listKeys(ADA)).map(({ id }) => id)).toEqual(['key_3', 'key_1'])
      expect(await store.listKeys(asUserId('nobody'))).toEqual([])
    })

    it('renames a key that is not revoked', async () => {
      const { store } = subject()
      await store.createKey(newKey('key_1'))
      expect(await store.renameKey('key_1', 'new')).toBe(true)
      expect((await store.findKey('hash of key_1'))?.name).toBe('new')
      await store.revokeKey('key_1')
      expect(await store.renameKey('key_1', 'newer')).toBe(false)
      expect(await store.renameKey('key_9', 'newer')).toBe(false)
    })

    it('names the keys that are revoked or unknown', async () => {
      const { store } = subject()
      for (const id of ['key_1', 'key_2', 'key_3']) await store.createKey(newKey(id))
      await store.revokeKey('key_2')
      expect(await store.findRevoked(['key_3', 'key_2', 'key_1', 'key_9'])).toEqual(['key_2', 'key_9'])
      expect(await store.findRevoked([])).toEqual([])
    })

    it('tells when a key was last used', async () => {
      const { store } = subject()
      await store.createKey(newKey('key_1'))
      store.touchKey('key_1', AT + 10)
      expect((await store.findKey('hash of key_1'))?.lastUsedAt).toBe(AT + 10)
      store.touchKey('key_1', AT + 20)
      store.touchKey('key_9', AT + 20)
      expect((await store.listKeys()).map(({ lastUsedAt }) => lastUsedAt)).toEqual([AT + 20])
    })

    it('knows everything when it is opened again', async () => {
      const { store, reopen } = subject()
      const [first, second] = [newKey('key_1'), newKey('key_2', { userId: GRACE, expiresAt: AT + 86_400_000 })]
      await store.createKey(first)
      await store.createKey(second)
      await store.createKey(newKey('key_3'))
      await store.revokeKey('key_3')
      store.touchKey('key_2', AT + 5)
      store.touchKey('key_2', AT + 6)
      const again = (await reopen?.()) ?? store
      expect(await again.findKey(first.hash)).toEqual(recordOf(first))
      expect(await again.findKey(second.hash)).toEqual({ ...recordOf(second), lastUsedAt: AT + 6 })
      expect(await again.findKey('hash of key_3')).toBeUndefined()
      expect(await again.revokeKey('key_3')).toBe(false)
    })
  })
}
