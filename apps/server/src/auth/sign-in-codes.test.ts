import { asUserId } from '@polylogue/engine'
import { createFakeClock } from '@polylogue/testkit'
import { expect, it } from 'vitest'
import { randomBytes } from '../platform/random-bytes.ts'
import { sha256 } from '../platform/sha256.ts'
import { createSignInCodes } from './sign-in-codes.ts'

const anna = asUserId('anna')

it('a code is good once', () => {
  const codes = createSignInCodes({ clock: createFakeClock(), random: randomBytes, digest: sha256 })
  const code = codes.issue(anna)
  expect(codes.redeem('guess')).toBeUndefined()
  expect(codes.redeem(code)).toBe(anna)
  expect(codes.redeem(code)).toBeUndefined()
})

it('a code is good for ten minutes', () => {
  const clock = createFakeClock()
  const codes = createSignInCodes({ clock, random: randomBytes, digest: sha256 })
  const [early, late] = [codes.issue(anna), codes.issue(anna)]
  clock.advance(10 * 60_000 - 1)
  expect(codes.redeem(early)).toBe(anna)
  clock.advance(1)
  expect(codes.redeem(late)).toBeUndefined()
})
