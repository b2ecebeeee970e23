import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { writePieces } from './write-pieces.ts'

it('makes no piece before the reader has taken those before it', async () => {
  const output = new PassThrough({ highWaterMark: 10 })
  let made = 0
  function* pieces(): Generator<string> {
    for (; made < 100; made += 1) yield 'ten bytes.'
  }
  const written = writePieces(output, pieces()).then(() => output.end())
  await new Promise((resolve) => setImmediate(resolve))
  expect(made).toBeLessThan(5)
  expect((await text(output)).length).toBe(1000)
  await written
})
