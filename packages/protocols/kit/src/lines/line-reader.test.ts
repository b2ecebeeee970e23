import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LineReader, LineTooLong, lineText } from './line-reader.ts'

const read = (chunks: readonly Uint8Array[], maxBytes?: number) => {
  const lines = new LineReader(maxBytes)
  const texts = chunks.flatMap((chunk) => [...lines.push(chunk)].map(lineText))
  const rest = lines.end()
  return { texts, rest: rest && lineText(rest) }
}

describe('a reader of lines', () => {
  it('gives the same lines for any chunking', () => {
    const bytes = Buffer.from('{"a":1}\r\n\nnaïve 😀\n  \nthe rest')
    const expected = { texts: ['{"a":1}', '', 'naïve 😀', '  '], rest: 'the rest' }
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), bytes.length]
        const chunks = places.slice(1).map((place, index) => bytes.subarray(places[index], place))
        expect(read(chunks)).toEqual(expected)
      }),
    )
  })

  it('gives bytes with their line end, so that a line can be forwarded unchanged', () => {
    expect([...new LineReader().push(Buffer.from('a\r\nb\n'))].map(String)).toEqual(['a\r\n', 'b\n'].map(bytesOf))
  })

  it('has no rest after a line end', () => {
    expect(read([Buffer.from('a\n')])).toEqual({ texts: ['a'], rest: undefined })
  })

  it('takes a line up to the limit, in any number of pieces', () => {
    expect(read([Buffer.from('abc\nabc')], 3)).toEqual({ texts: ['abc'], rest: 'abc' })
    expect(() => read([Buffer.from('abcd\n')], 3)).toThrow(LineTooLong)
    expect(() =>
      read(
        ['a', 'b', 'c', 'd'].map((letter) => Buffer.from(letter)),
        3,
      ),
    ).toThrow('a line is longer than 3 bytes')
  })

  it('keeps nothing of a line that is too long', () => {
    const lines = new LineReader(3)
    expect(() => [...lines.push(Buffer.from('abcdef'))]).toThrow(LineTooLong)
    expect(lines.pendingBytes).toBe(0)
  })

  it('keeps a copy of an unfinished line, for the source may reuse its buffer', () => {
    const lines = new LineReader()
    const buffer = Buffer.from('abc')
    expect([...lines.push(buffer)]).toEqual([])
    buffer.fill('x')
    expect([...lines.push(Buffer.from('\n'))].map(lineText)).toEqual(['abc'])
  })

  it('costs the same for a long line in a hundred thousand pieces', () => {
    const lines = new LineReader()
    const piece = Buffer.from('x')
    for (let count = 0; count < 100_000; count++) for (const _ of lines.push(piece)) throw new Error('no line yet')
    expect(lines.pendingBytes).toBe(100_000)
    expect([...lines.push(Buffer.from('\n'))]).toHaveLength(1)
  })
})

const bytesOf = (text: string): string => String(Buffer.from(text))
