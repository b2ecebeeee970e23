import { createFakeClock, testDigest } from '@polylogue/testkit'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createIds } from './create-ids.ts'
import { keySessionIds } from './engine/key-session-ids.ts'
import { asUserId } from './ids.ts'
import { userSlotOf } from './user-slot.ts'

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Bytes 9 and 10 of a UUID, without the last four bits. */
const slotIn = (id: string): string => id.replaceAll('-', '').slice(18, 21)

it('is three hexadecimal digits, which depend on the user only', () => {
  expect(userSlotOf(asUserId('anna'), testDigest)).toBe('555')
  expect(userSlotOf(asUserId('ben'), testDigest)).toBe('670')
})

it('is in each new session id, which is unique and sorts by creation', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 50 }), (users) => {
      const ids = createIds(createFakeClock(), (length) => new Uint8Array(length).fill(0xff), testDigest)
      const made = users.map((user) => ids.sessionId(asUserId(user)))
      for (const [index, id] of made.entries()) {
        expect(id).toMatch(UUID_V7)
        expect(slotIn(id)).toBe(userSlotOf(asUserId(users[index] ?? ''), testDigest))
      }
      expect(made.toSorted()).toEqual(made)
      expect(new Set(made).size).toBe(made.length)
    }),
  )
})

it('is in the ids of sessions that were made with an idempotency key', () => {
  const userId = asUserId('anna')
  const ids = keySessionIds(testDigest, { userId, key: 'k1' }, 1_800_000_000_000)
  for (const id of ids) {
    expect(id).toMatch(UUID_V7)
    expect(slotIn(id)).toBe(userSlotOf(userId, testDigest))
  }
  expect(new Set(ids).size).toBe(ids.length)
  expect(keySessionIds(testDigest, { userId, key: 'k2' }, 1_800_000_000_000)).not.toContain(ids[0])
})
