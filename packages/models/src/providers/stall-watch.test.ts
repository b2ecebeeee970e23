import { createFakeClock } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { type Stall, type StallWatch, watchForStalls } from './stall-watch.ts'

function start(): { clock: ReturnType<typeof createFakeClock>; watch: StallWatch; stalls: Stall[] } {
  const clock = createFakeClock()
  const stalls: Stall[] = []
  const watch = watchForStalls({ clock, firstByteMs: 100, idleMs: 10, onStall: (stall) => void stalls.push(stall) })
  return { clock, watch, stalls }
}

describe('waiting for a provider', () => {
  it('ends when the first byte is late', () => {
    const { clock, stalls } = start()
    clock.advance(99)
    expect(stalls).toEqual([])
    clock.advance(1)
    expect(stalls).toEqual(['first-byte'])
  })

  it('ends when the next byte is late, counted from the one before', () => {
    const { clock, watch, stalls } = start()
    for (let count = 0; count < 30; count++) {
      clock.advance(9)
      watch.touch()
    }
    clock.advance(9)
    expect(stalls).toEqual([])
    clock.advance(1)
    expect(stalls).toEqual(['idle'])
  })

  it('does not count the time in which our own reader is busy', () => {
    const { clock, watch, stalls } = start()
    watch.touch()
    watch.hold()
    clock.advance(1000)
    watch.resume()
    clock.advance(9)
    expect(stalls).toEqual([])
    clock.advance(10)
    expect(stalls).toEqual(['idle'])
  })

  it('leaves no timer behind', () => {
    const { clock, watch } = start()
    watch.touch()
    watch.stop()
    expect(clock.pendingTimers()).toBe(0)
  })
})
