import { SIGN_IN_LIMITS, asUserId, type NewSignInCode, type SignInStore } from '@polylogue/engine'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FakeClock } from './fake-clock.ts'

/** A sign-in store that only one test uses. */
export interface OpenedSignInStore {
  readonly store: SignInStore
  readonly clock: FakeClock
  /** Closes the store and opens its database again. Absent: the store itself must still have everything. */
  readonly reopen?: () => Promise<SignInStore>
  /** Closes the store and removes its files. */
  close(): Promise<void>
}

const ADA = asUserId('ada')
const GRACE = asUserId('grace')
const MINUTE_MS = 60_000

export function signInStoreContract(name: string, open: () => Promise<OpenedSignInStore>): void {
  describe(`${name} keeps the contract of a sign-in store`, () => {
    let opened: OpenedSignInStore | undefined
    beforeEach(async () => {
      opened = await open()
    })
    afterEach(async () => {
      await opened?.close()
      opened = undefined
    })
    const subject = (): OpenedSignInStore => {
      if (opened === undefined) throw new Error('the store is opened before each test')
      return opened
    }
    const code = (hash: string, userId = ADA): NewSignInCode => ({
      hash,
      userId,
      expiresAt: subject().clock.now() + MINUTE_MS,
    })

    it('gives the user of a code, once', async () => {
      const { store } = subject()
      await store.addCode(code('h1'))
      await store.addCode(code('h2', GRACE))
      expect(await store.takeCode('h3')).toBeUndefined()
      expect(await store.takeCode('h1')).toBe(ADA)
      expect(await store.takeCode('h1')).toBeUndefined()
      expect(await store.takeCode('h2')).toBe(GRACE)
    })

    it('gives a code to one of several callers', async () => {
      const { store } = subject()
      await store.addCode(code('h1'))
      const taken = await Promise.all(Array.from({ length: 20 }, () => store.takeCode('h1')))
      expect(taken.filter((userId) => userId !== undefined)).toEqual([ADA])
    })

    it('does not give an expired code', async () => {
      const { store, clock } = subject()
      await store.addCode(code('h1'))
      await store.addCode(code('h2'))
      clock.advance(MINUTE_MS - 1)
      expect(await store.takeCode('h1')).toBe(ADA)
      clock.advance(1)
      expect(await store.takeCode('h2')).toBeUndefined()
    })

    it('keeps a bounded number of codes for each user, the newest', async () => {
      const { store } = subject()
      await store.addCode(code('of grace', GRACE))
      for (let count = 0; count <= SIGN_IN_LIMITS.perUser; count++) await store.addCode(code(`h${count}`))
      expect(await store.takeCode('h0')).toBeUndefined()
      expect(await store.takeCode('h1')).toBe(ADA)
      expect(await store.takeCode(`h${SIGN_IN_LIMITS.perUser}`)).toBe(ADA)
      expect(await store.takeCode('of grace')).toBe(GRACE)
    })

    it('knows the codes when it is opened again', async () => {
      const { store, reopen } = subject()
      await store.addCode(code('h1'))
      await store.addCode(code('h2'))
      await store.takeCode('h2')
      const again = (await reopen?.()) ?? store
      expect(await again.takeCode('h2')).toBeUndefined()
      expect(await again.takeCode('h1')).toBe(ADA)
    })
  })
}
