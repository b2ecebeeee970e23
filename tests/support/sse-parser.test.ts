import { describe, expect, it } from 'vitest'
import { createSseParser } from './sse-parser.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('the strict reader of event streams', () => {
  it('reads frames with and without ids, between comments', () => {
    const parser = createSseParser()
    const stream = ': hi\n\nevent: a\ndata: {"event":"a","x":1}\nid: 7\n\n: ping\nevent: b\ndata: {"event":"b"}\n\n'
    expect(parser.feed(bytes(stream))).toEqual([
      { event: 'a', data: { event: 'a', x: 1 }, id: '7' },
      { event: 'b', data: { event: 'b' }, id: undefined },
    ])
    expect(parser.comments).toEqual(['hi', 'ping'])
    expect(() => parser.end()).not.toThrow()
  })

  it('gives the same frames for any chunking', () => {
    const stream = bytes('event: a\ndata: {"event":"a","text":"😀é\u2028"}\n\n: x\n\nevent: b\ndata: {"event":"b"}\n\n')
    const whole = createSseParser().feed(stream)
    for (let size = 1; size < stream.length; size++) {
      const parser = createSseParser()
      const frames = []
      for (let at = 0; at < stream.length; at += size) frames.push(...parser.feed(stream.subarray(at, at + size)))
      expect(frames).toEqual(whole)
    }
  })

  it.each([
    ['no event line', 'data: {"event":"a"}\n\n', /no event line/],
    ['no data line', 'event: a\n\n', /no data line/],
    ['two data lines', 'event: a\ndata: {"event":"a",\ndata: "x":1}\n\n', /two data lines/],
    ['data that is no JSON', 'event: a\ndata: [DONE]\n\n', /not JSON/],
    ['data that is no object', 'event: a\ndata: ["a"]\n\n', /not an object/],
    ['empty data', 'event: a\ndata: \n\n', /no field of ours/],
    ['another event in data', 'event: a\ndata: {"event":"b"}\n\n', /another event/],
    ['a carriage return', 'event: a\r\ndata: {"event":"a"}\n\n', /carriage return/],
    ['a field nobody knows', 'event: a\ndata: {"event":"a"}\nkind: x\n\n', /no field of ours/],
    ['an empty line too many', 'event: a\ndata: {"event":"a"}\n\n\n\n', /no field of ours/],
  ])('refuses %s', (_, stream, problem) => {
    expect(() => createSseParser().feed(bytes(stream))).toThrow(problem)
  })

  it('refuses a stream that ends inside a frame', () => {
    const parser = createSseParser()
    parser.feed(bytes('event: a\ndata: {"event":"a"}\n'))
    expect(() => parser.end()).toThrow(/ends inside a frame/)
  })

  it('refuses bytes that are no UTF-8', () => {
    expect(() => createSseParser().feed(new Uint8Array([0xff, 0xfe]))).toThrow(/encoded data was not valid/)
  })
})
