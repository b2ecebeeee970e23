import { createFakeClock } from '@polylogue/testkit'
import { expect, it } from 'vitest'
import { createFramePace, paceInput } from './frame-pace.ts'

const MB = 1024 * 1024

it('a user sends a burst at once, and afterwards as much as the rate allows', () => {
  const clock = createFakeClock()
  const pace = createFramePace({ clock })
  expect(pace.took('ann', 64 * MB)).toBe(0)
  expect(pace.took('ann', 8 * MB)).toBe(2_000)
  clock.advance(2_000)
  expect(pace.took('ann', 0)).toBeLessThanOrEqual(1)
  clock.advance(60_000)
  expect(pace.took('ann', 64 * MB)).toBe(0)
})

it('tiny frames count for the time that they take', () => {
  const pace = createFramePace({ clock: createFakeClock() })
  const pauses = Array.from({ length: 70_000 }, () => pace.took('ann', 6))
  expect(pauses.findIndex((pauseMs) => pauseMs > 0)).toBe(65_536)
})

it('one user does not slow another, but all together have a rate too', () => {
  const pace = createFramePace({ clock: createFakeClock() })
  expect(pace.took('ann', 100 * MB)).toBeGreaterThan(0)
  expect(pace.took('bob', 60 * MB)).toBe(0)
  expect(pace.took('cid', 60 * MB)).toBe(0)
  expect(pace.took('dan', 60 * MB)).toBeGreaterThan(0)
})

it('what a socket sends beyond it stays unread until its time', async () => {
  const clock = createFakeClock()
  const pace = createFramePace({ clock })
  let made = 0
  const endless = new ReadableStream<Uint8Array>(
    { pull: (controller) => (made++, controller.enqueue(new Uint8Array(8 * MB))) },
    { highWaterMark: 0 },
  )
  const reader = paceInput(endless, (bytes) => pace.took('ann', bytes), clock).getReader()
  for (let read = 0; read < 9; read++) await reader.read()
  expect(made).toBeLessThan(12)
  const next = reader.read()
  clock.advance(60_000)
  expect((await next).done).toBe(false)
})
