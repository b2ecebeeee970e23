import { describe, expect, it } from 'vitest'
import { createBackoff } from './backoff.ts'
import { createLineSplitter } from './line-splitter.ts'

describe('a stream of lines', () => {
  it('is cut at its ends, wherever the chunks end', () => {
    const text = 'one\ntwo é\r\n\nthree\nrest'
    for (let size = 1; size <= text.length; size += 1) {
      const bytes = Buffer.from(text)
      const splitter = createLineSplitter(100)
      const lines: string[] = []
      for (let at = 0; at < bytes.length; at += size) lines.push(...splitter.push(bytes.subarray(at, at + size)))
      expect(lines).toEqual(['one', 'two é', '', 'three'])
    }
  })

  it('ends when a line is too long, whether its end came or not', () => {
    expect(createLineSplitter(3).push(Buffer.from('abc\n'))).toEqual(['abc'])
    expect(() => createLineSplitter(3).push(Buffer.from('abcd\n'))).toThrow('larger than 3 bytes')
    const splitter = createLineSplitter(3)
    splitter.push(Buffer.from('ab'))
    expect(() => splitter.push(Buffer.from('cd'))).toThrow('larger than 3 bytes')
  })
})

describe('the wait before the next attempt', () => {
  it('doubles up to a minute, and begins anew only after the server was well for a while', () => {
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
