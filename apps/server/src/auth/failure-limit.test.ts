import { createFakeClock } from '@polylogue/testkit'
import { expect, it } from 'vitest'
import { createFailureLimit } from './failure-limit.ts'

function fail(limit: ReturnType<typeof createFailureLimit>, address: string, times: number): void {
  for (let count = 0; count < times; count++) limit.record(address)
}

it('stops an address after ten wrong keys, until the minute is over', () => {
  const clock = createFakeClock()
  const limit = createFailureLimit({ clock })
  fail(limit, '10.0.0.1', 9)
  expect(limit.retryAfter('10.0.0.1')).toBe(0)
  fail(limit, '10.0.0.1', 1)
  expect(limit.retryAfter('10.0.0.1')).toBe(60)
  expect(limit.retryAfter('10.0.0.2')).toBe(0)
  clock.advance(59_001)
  expect(limit.retryAfter('10.0.0.1')).toBe(1)
  clock.advance(999)
  expect(limit.retryAfter('10.0.0.1')).toBe(0)
  fail(limit, '10.0.0.1', 9)
  expect(limit.retryAfter('10.0.0.1')).toBe(0)
})

it.each(['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])('never stops loopback (%s)', (address) => {
  const limit = createFailureLimit({ clock: createFakeClock() })
  fail(limit, address, 100)
  expect(limit.retryAfter(address)).toBe(0)
})

it('takes a mapped address for the same one, and an IPv6 network of 64 bits for one client', () => {
  const limit = createFailureLimit({ clock: createFakeClock() })
  fail(limit, '::ffff:10.0.0.1', 10)
  expect(limit.retryAfter('10.0.0.1')).toBe(60)
  fail(limit, '2001:db8:1:2:aaaa::1', 5)
  fail(limit, '2001:db8:1:2::2', 5)
  expect(limit.retryAfter('2001:db8:1:2:ffff:ffff:ffff:ffff')).toBe(60)
  expect(limit.retryAfter('2001:db8:1:3::1')).toBe(0)
})

it('remembers a bounded number of addresses', () => {
  const limit = createFailureLimit({ clock: createFakeClock() })
  fail(limit, '10.0.0.1', 10)
  for (let n = 0; n < 10_000; n++) limit.record(`11.0.${n >> 8}.${n & 255}`)
  expect(limit.retryAfter('10.0.0.1')).toBe(0)
})
