import { describe, expect, it } from 'vitest'
import { createLineCutter } from './line-cutter.ts'

const bytes = (text: string) => Buffer.from(text)
const texts = (lines: readonly Uint8Array[]) => lines.map((line) => Buffer.from(line).toString())

describe('the line cutter', () => {
  it('gives whole lines with their ends, however the bytes are cut', () => {
    const text = '{"a":"é"}\n\n{"b":2}\r\n{"c"'
    for (let size = 1; size <= text.length; size++) {
      const lines = createLineCutter()
      const all = bytes(text)
      const got: string[] = []
      for (let at = 0; at < all.length; at += size) got.push(...texts(lines.push(all.subarray(at, at + size))))
      expect(got).toEqual(['{"a":"é"}\n', '\n', '{"b":2}\r\n'])
      expect(lines.pendingBytes).toBe(4)
      expect(texts([lines.end() ?? bytes('')])).toEqual(['{"c"'])
      expect(lines.pendingBytes).toBe(0)
    }
  })

  it('has nothing left after a line end', () => {
    const lines = createLineCutter()
    lines.push(bytes('a\n'))
    expect(lines.end()).toBeUndefined()
  })
})
