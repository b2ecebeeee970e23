import { asUserId } from '@polylogue/engine'
import { createFakeClock, createMemorySignInStore } from '@polylogue/testkit'
import { expect, it } from 'vitest'
import { randomBytes } from '../platform/random-bytes.ts'
import { sha256 } from '../platform/sha256.ts'
import { createSignInCodes } from './sign-in-codes.ts'

const anna = asUserId('anna')

function createTestCodes(isKnown = async (): Promise<boolean> => true) {
  const clock = createFakeClock()
  const store = createMemorySignInStore({ clock })
  return { clock, codes: createSignInCodes({ store, clock, random: randomBytes, digest: sha256, isKnown }) }
}

it('a code of a user who was removed meanwhile is worth nothing', async () => {
  let isThere = true
  const { codes } = createTestCodes(async () => isThere)
  const { code } = await codes.issue(anna)
  isThere = false
  expect(await codes.redeem(code)).toBeUndefined()
})

it('a code is good once', async () => {
  const { codes } = createTestCodes()
  const { code } = await codes.issue(anna)
  expect(await codes.redeem('guess')).toBeUndefined()
  expect(await codes.redeem(code)).toBe(anna)
  expect(await codes.redeem(code)).toBeUndefined()
})

it('a code is good for ten minutes', async () => {
  const { codes, clock } = createTestCodes()
  const [early, late] = [(await codes.issue(anna)).code, (await codes.issue(anna)).code]
  clock.advance(10 * 60_000 - 1)
  expect(await codes.redeem(early)).toBe(anna)
  clock.advance(1)
  expect(await codes.redeem(late)).toBeUndefined()
})
