import { expect, it } from 'vitest'
import { WaitingFrames } from './waiting-frames.ts'

function waitingFor(...frames: readonly string[]): WaitingFrames {
  const waiting = new WaitingFrames()
  for (const frame of frames) waiting.add(frame)
  return waiting
}

it('gives all frames in order when they are short', () => {
  const waiting = waitingFor('one ', 'two ', 'three')
  expect(waiting.length).toBe(13)
  expect(waiting.take(64)).toBe('one two three')
  expect(waiting.length).toBe(0)
  expect(waiting.take(64)).toBe('')
})

it('gives whole frames, and keeps the others', () => {
  const waiting = waitingFor('one ', 'two ', 'three ')
  expect(waiting.take(9)).toBe('one two ')
  waiting.add('four')
  expect(waiting.length).toBe(10)
  expect(waiting.take(9)).toBe('three ')
  expect(waiting.take(9)).toBe('four')
})

it('gives a frame that is longer than a piece', () => {
  const waiting = waitingFor('a'.repeat(100), 'b')
  expect(waiting.take(10)).toHaveLength(100)
  expect(waiting.take(10)).toBe('b')
})

it('is empty after it was cleared', () => {
  const waiting = waitingFor('one')
  waiting.clear()
  expect([waiting.length, waiting.take(1)]).toEqual([0, ''])
})
