import { describe, expect, it } from 'vitest'
import { createBackoff } from './backoff.ts'

describe('the wait before the next attempt', () => {
  it('doubles up to a minute, and resets only after the server was healthy for a while', () => {
    let now = 0
    const backoff = createBackoff({ now: () => now })
    expect(Array.from({ length: 8 }, () => backoff.failed())).toEqual([
      1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000,
    ])
    backoff.succeeded()
    now += 1000
    expect(backoff.failed()).toBe(60_000)
    backoff.succeeded()
    now += 60_000
    expect(backoff.failed()).toBe(1000)
  })
})
