import { asUserId, type UserRecord, type UserStore } from '@polylogue/engine'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

/** A user store that only one test uses. */
export interface OpenedUserStore {
  readonly store: UserStore
  /** Closes the store and opens its database again. Absent: the store itself must still have everything. */
  readonly reopen?: () => Promise<UserStore>
  /** Closes the store and removes its files. */
  close(): Promise<void>
}

const ADA: UserRecord = { userId: asUserId('ada'), role: 'user', createdAt: 1 }
const GRACE: UserRecord = { userId: asUserId('grace'), role: 'admin', createdAt: 2 }

export function userStoreContract(name: string, open: () => Promise<OpenedUserStore>): void {
  describe(`${name} keeps the contract of a user store`, () => {
    let opened: OpenedUserStore | undefined
    beforeEach(async () => {
      opened = await open()
    })
    afterEach(async () => {
      await opened?.close()
      opened = undefined
    })
    const subject = (): OpenedUserStore => {
      if (opened === undefined) throw new Error('the store is opened before each test')
      return opened
    }

    it('finds a user as it was added, and lists users by name', async () => {
      const { store } = subject()
      expect(await store.listUsers()).toEqual([])
      expect(await store.addUser(GRACE)).toBe(true)
      expect(await store.addUser(ADA)).toBe(true)
      expect(await store.findUser(GRACE.userId)).toEqual(GRACE)
      expect(await store.findUser(asUserId('Ada'))).toBeUndefined()
      expect(await store.listUsers()).toEqual([ADA, GRACE])
    })

    it('adds a user once, also when several callers race', async () => {
      const { store } = subject()
      const added = await Promise.all(
        [1, 2, 3, 4].map((createdAt) => store.addUser({ ...ADA, createdAt, role: 'admin' })),
      )
      expect(added.filter(Boolean)).toHaveLength(1)
      const [user] = await store.listUsers()
      expect(await store.addUser(ADA)).toBe(false)
      expect(await store.findUser(ADA.userId)).toEqual(user)
    })

    it('changes the role of a user that exists', async () => {
      const { store } = subject()
      expect(await store.changeRole(ADA.userId, 'admin')).toBe(false)
      await store.addUser(ADA)
      expect(await store.changeRole(ADA.userId, 'admin')).toBe(true)
      expect(await store.findUser(ADA.userId)).toEqual({ ...ADA, role: 'admin' })
    })

    it('removes a user once', async () => {
      const { store } = subject()
      await store.addUser(ADA)
      await store.addUser(GRACE)
      expect(await store.removeUser(ADA.userId)).toBe(true)
      expect(await store.removeUser(ADA.userId)).toBe(false)
      expect(await store.listUsers()).toEqual([GRACE])
    })

    it('knows the users when it is opened again', async () => {
      const { store, reopen } = subject()
      await store.addUser(ADA)
      await store.addUser(GRACE)
      await store.removeUser(GRACE.userId)
      const again = (await reopen?.()) ?? store
      expect(await again.listUsers()).toEqual([ADA])
    })
  })
}
