import { createFakeClock } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { BEATS, Heartbeats } from './heartbeats.ts'

function createCounter() {
  const counter = { beats: 0, beat: () => void (counter.beats += 1) }
  return counter
}

describe('heartbeats', () => {
  it('come a hundred times in an interval, to every stream', () => {
    const clock = createFakeClock()
    const heartbeats = new Heartbeats(clock, 15_000)
    const [first, second] = [createCounter(), createCounter()]
    heartbeats.add(first)
    clock.advance(7_500)
    heartbeats.add(second)
    clock.advance(7_500)
    expect([first.beats, second.beats]).toEqual([BEATS, BEATS / 2])
  })

  it('need one timer for any number of streams, and none without a stream', () => {
    const clock = createFakeClock()
    const heartbeats = new Heartbeats(clock, 15_000)
    const streams = Array.from({ length: 50 }, createCounter)
    for (const stream of streams) heartbeats.add(stream)
    clock.advance(1_000)
    expect(clock.pendingTimers()).toBe(1)
    for (const stream of streams) heartbeats.remove(stream)
    expect(clock.pendingTimers()).toBe(0)
    heartbeats.add(streams[0] ?? createCounter())
    expect(clock.pendingTimers()).toBe(1)
  })

  it('end for a stream that leaves at a beat, and for no other', () => {
    const clock = createFakeClock()
    const heartbeats = new Heartbeats(clock, 1_000)
    const leaving = { beat: () => heartbeats.remove(leaving) }
    const staying = createCounter()
    heartbeats.add(leaving)
    heartbeats.add(staying)
    clock.advance(1_000)
    expect(staying.beats).toBe(BEATS)
    heartbeats.remove(staying)
    const last = { beat: () => heartbeats.remove(last) }
    heartbeats.add(last)
    clock.advance(1_000)
    expect(clock.pendingTimers()).toBe(0)
  })
})
