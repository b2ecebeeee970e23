import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSseReader, type SseEvent } from './sse-reader.ts'

function parse(...chunks: readonly string[]): SseEvent[] {
  const parser = createSseReader()
  return chunks.flatMap((chunk) => [...parser.push(chunk)])
}

describe('a reader of server-sent events', () => {
  it('reads the name, the data and the id of an event', () => {
    expect(parse('id: 7.0.3\nevent: text_delta\ndata: {"delta":"Hi"}\n\n')).toEqual([
      { id: '7.0.3', event: 'text_delta', data: '{"delta":"Hi"}' },
    ])
  })

  it('keeps the last id for events that bring none', () => {
    expect(parse('id: 1\ndata: a\n\ndata: b\n\n').map((event) => event.id)).toEqual(['1', '1'])
  })

  it('joins several data lines, takes off one space only and passes over comments and unknown fields', () => {
    expect(parse(': ping\nretry: 10\ndata:  a\ndata:b\ndata\n\n')).toEqual([
      { id: '', event: 'message', data: ' a\nb\n' },
    ])
  })

  it('dispatches nothing for an event without data, and nothing before the blank line', () => {
    expect(parse('event: empty\n\n', 'data: cut off\n')).toEqual([])
  })

  it('passes over a byte order mark at the very start', () => {
    expect(parse('\uFEFFdata: a\n\n')).toEqual([{ id: '', event: 'message', data: 'a' }])
  })

  it('ignores an id with a NUL', () => {
    expect(parse('id: 1\n\nid: 2\0\ndata: a\n\n')).toEqual([{ id: '1', event: 'message', data: 'a' }])
  })

  it('gives the same events for any chunking and any line ending', () => {
    const stream = 'id: 1\nevent: a\ndata: {"x":1}\n\n: ping\ndata: two\ndata: lines\n\nid: 3\ndata: \u{1F600}\n\n'
    const whole = parse(stream)
    expect(whole).toHaveLength(3)
    fc.assert(
      fc.property(
        fc.constantFrom('\n', '\r', '\r\n'),
        fc.array(fc.nat(stream.length * 2), { maxLength: 20 }),
        (lineEnd, cuts) => {
          const text = stream.replaceAll('\n', lineEnd)
          const places = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length]
          const chunks = places.slice(1).map((place, index) => text.slice(places[index], place))
          expect(parse(...chunks)).toEqual(whole)
        },
      ),
    )
  })
})
