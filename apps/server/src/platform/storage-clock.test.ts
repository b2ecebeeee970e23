import { createFakeClock } from '@polylogue/testkit'
import { expect, it } from 'vitest'
import { createStorageClock } from './storage-clock.ts'

it.each([5 * 60_000, -5 * 60_000])('cluster 42: a clock that is %i ms off follows the storage', (offMs) => {
  const machine = createFakeClock()
  const clock = createStorageClock(machine)
  expect(clock.now()).toBe(machine.now())
  clock.learn(machine.now() + offMs)
  expect(clock.now()).toBe(machine.now() + offMs)
  machine.advance(1_000)
  clock.learn(machine.now() + offMs - 200)
  expect(clock.now()).toBe(machine.now() + offMs)
})

it('cluster 42: an answer that was read late does not put the clock back', () => {
  const machine = createFakeClock()
  const clock = createStorageClock(machine)
  clock.learn(machine.now() + 60_000)
  // The process was frozen, or busy, before it read the answer.
  const answer = machine.now() + 60_000
  machine.advance(8_000)
  clock.learn(answer, 8_000)
  expect(clock.now()).toBe(machine.now() + 60_000)
})

it.each([5 * 60_000, -5 * 60_000])(
  'cluster 42: a clock that jumps by %i ms is noticed, even if the answer is late',
  (offMs) => {
    const machine = createFakeClock()
    const clock = createStorageClock(machine)
    clock.learn(machine.now() + offMs, 8_000)
    expect(Math.abs(clock.now() - (machine.now() + offMs))).toBeLessThanOrEqual(8_000)
  },
)
