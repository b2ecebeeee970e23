import { describe, expect, it } from 'vitest'
import { readSse } from './assets/sse.js'

async function read(text: string, size: number): Promise<unknown[]> {
  const bytes = new TextEncoder().encode(text)
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.slice(index * size, (index + 1) * size),
  )
  return await Array.fromAsync(readSse(toAsync(chunks)))
}

async function* toAsync<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values
}

describe('readSse', () => {
  const stream =
    ': ping\n\nid: 1\nevent: a\ndata: {"x":"\u{1F600}"}\n\ndata: two\ndata: lines\n\nevent: empty\n\ndata: cut'

  it.each(['\n', '\r', '\r\n'])('reads the same events at every chunk size, with line end %j', async (lineEnd) => {
    for (let size = 1; size < 40; size += 1) {
      expect(await read(stream.replaceAll('\n', lineEnd), size)).toEqual([
        { id: '1', event: 'a', data: '{"x":"\u{1F600}"}' },
        { id: '1', event: 'message', data: 'two\nlines' },
      ])
    }
  })
})
