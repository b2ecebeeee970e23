import { createFakeClock } from '@polylogue/testkit'
import { expect, it } from 'vitest'
import { createRateLimit } from './rate-limit.ts'

it("allows one minute's worth at once, then refills with time", () => {
  const clock = createFakeClock()
  const limit = createRateLimit(6, clock)
  const taken = () => limit.take('anna')
  expect([taken(), taken(), taken(), taken(), taken(), taken()]).toEqual([0, 0, 0, 0, 0, 0])
  expect(taken()).toBe(10)
  clock.advance(9_000)
  expect(taken()).toBe(1)
  clock.advance(1_000)
  expect([taken(), taken()]).toEqual([0, 10])
  expect(limit.take('bob')).toBe(0)
})

it('never saves more than a minute', () => {
  const clock = createFakeClock()
  const limit = createRateLimit(2, clock)
  limit.take('anna')
  clock.advance(3_600_000)
  expect([limit.take('anna'), limit.take('anna'), limit.take('anna')]).toEqual([0, 0, 30])
})

it('remembers a bounded number of names', () => {
  const limit = createRateLimit(1, createFakeClock())
  limit.take('anna')
  expect(limit.take('anna')).toBeGreaterThan(0)
  for (let n = 0; n < 10_000; n++) limit.take(`user ${n}`)
  expect(limit.take('anna')).toBe(0)
})
