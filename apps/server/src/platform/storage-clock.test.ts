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
