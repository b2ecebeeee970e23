import { describe, expect, it } from 'vitest'
import { randomBytes } from './random-bytes.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

describe('random bytes', () => {
  it('are as many as asked for, and never the same twice', () => {
    const seen = new Set<string>()
    for (let round = 0; round < 2_000; round++) {
      const bytes = randomBytes(16)
      expect(bytes).toHaveLength(16)
      seen.add(hex(bytes))
    }
    expect(seen.size).toBe(2_000)
  })

  it('belong to the user who created them: no other user sees or changes them', () => {
    const first = randomBytes(32)
    const copy = hex(first)
    const second = randomBytes(32)
    expect(first.buffer).not.toBe(second.buffer)
    expect(first.buffer.byteLength).toBe(32)
    second.fill(0)
    for (let round = 0; round < 1_000; round++) randomBytes(32)
    expect(hex(first)).toBe(copy)
  })

  it('of a long key are drawn at once, and evenly', () => {
    const counts = new Uint32Array(256)
    for (const byte of randomBytes(65_536)) counts[byte] = (counts[byte] ?? 0) + 1
    // 256 expected of each; this far away once in 10^20 draws.
    for (const count of counts) expect(Math.abs(count - 256)).toBeLessThan(160)
  })

  it('come out of the pool evenly too', () => {
    const counts = new Uint32Array(256)
    for (let round = 0; round < 4_096; round++) {
      for (const byte of randomBytes(16)) counts[byte] = (counts[byte] ?? 0) + 1
    }
    for (const count of counts) expect(Math.abs(count - 256)).toBeLessThan(160)
  })
})
