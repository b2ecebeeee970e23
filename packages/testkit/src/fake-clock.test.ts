import { describe, expect, it } from 'vitest'
import { createFakeClock } from './fake-clock.ts'

describe('the fake clock', () => {
  it('stands still until it is advanced', () => {
    const clock = createFakeClock(1_000)
    expect(clock.now()).toBe(1_000)
    clock.advance(250)
    expect(clock.now()).toBe(1_250)
  })

  it('runs timers in the order of their times, and each sees its own time', () => {
    const clock = createFakeClock(0)
    const seen: string[] = []
    clock.setTimer(30, () => seen.push(`c at ${clock.now()}`))
    clock.setTimer(10, () => seen.push(`a at ${clock.now()}`))
    clock.setTimer(10, () => seen.push(`b at ${clock.now()}`))
    clock.setTimer(31, () => seen.push('too late'))
    clock.advance(30)
    expect(seen).toEqual(['a at 10', 'b at 10', 'c at 30'])
    expect(clock.pendingTimers()).toBe(1)
  })

  it('runs a timer that another one set, when it falls due in the same advance', () => {
    const clock = createFakeClock(0)
    const seen: number[] = []
    const again = (): void => {
      seen.push(clock.now())
      if (seen.length < 3) clock.setTimer(10, again)
    }
    clock.setTimer(10, again)
    clock.advance(25)
    expect(seen).toEqual([10, 20])
    clock.advance(5)
    expect(seen).toEqual([10, 20, 30])
  })

  it('never runs a cancelled timer', () => {
    const clock = createFakeClock(0)
    const seen: string[] = []
    const timer = clock.setTimer(10, () => seen.push('ran'))
    timer.cancel()
    timer.cancel()
    clock.advance(100)
    expect(seen).toEqual([])
  })
})
