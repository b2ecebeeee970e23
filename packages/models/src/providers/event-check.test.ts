import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEventCheck } from './event-check.ts'

function read(text: string, pieceLength = text.length): string | undefined {
  const check = createEventCheck()
  const bytes = Buffer.from(text)
  const decoder = new TextDecoder()
  let whole = ''
  for (let at = 0; at < bytes.length; at += pieceLength) {
    const piece = check.push(bytes.subarray(at, at + pieceLength))
    if (piece === undefined) return undefined
    whole += decoder.decode(piece, { stream: true })
  }
  return whole
}

describe('a stream of events', () => {
  it('has line feeds only, however it is cut', () => {
    const piece = fc.constantFrom('\r', '\n', '\r\n', 'data: {"a":"é😀\\""}', 'id: 1')
    fc.assert(
      fc.property(fc.array(piece), fc.integer({ min: 1, max: 9 }), (pieces, length) => {
        const text = pieces.join('')
        expect(read(text, length)).toBe(text.replaceAll(/\r\n?/g, '\n'))
      }),
    )
  })

  it.each(['{}', '1', '"a":1', '[', '{"a":'])('is refused for an event with a million of %s', (item) => {
    expect(read(`data: {"choices":[${`${item},`.repeat(1_000_000)}`)).toBe(undefined)
  })

  it('may have any number of events, and of signs in strings', () => {
    const many = `data: {"a":[${'1,'.repeat(10_000)}1]}\n\n`.repeat(30)
    const long = `data: {"a":"${',[{:\\"'.repeat(200_000)}"}\r\n\r\n`
    expect(read(many)).toBe(many)
    expect(read(long)).toBe(long.replaceAll('\r', ''))
  })
})
