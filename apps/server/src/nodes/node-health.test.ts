import { createFakeClock } from '@polylogue/testkit'
import { expect, it } from 'vitest'
import { createNodeHealth } from './node-health.ts'

it.each([
  ['for longer than a lease', 6_000],
  ['since the clock of the machine was put back', -60_000],
])('a node that has not extended its lease %s is not ready', (_when, ms) => {
  const clock = createFakeClock()
  let shiftMs = 0
  const health = createNodeHealth({ ...clock, now: () => clock.now() + shiftMs }, { isUp: true })
  expect(health.readiness()).toEqual({ degraded: [] })
  shiftMs = ms
  expect(health.readiness()).toEqual({ lacks: 'database', degraded: [] })
  health.beat()
  expect(health.readiness()).toEqual({ degraded: [] })
})
