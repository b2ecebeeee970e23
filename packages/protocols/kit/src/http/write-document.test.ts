import { createFakeClock } from '@polylogue/testkit'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { writeDocument, writeList } from './write-document.ts'

const MB = 1024 * 1024

it('a large document for a client that takes everything at once leaves room for others', async () => {
  const outgoing = new ServerResponse(new IncomingMessage(new Socket()))
  let sent = 0
  const socket = new Socket()
  socket._write = (chunk: Buffer, _encoding, done) => {
    sent += chunk.length
    done()
  }
  socket._writev = (chunks, done) => {
    for (const { chunk } of chunks as { chunk: Buffer }[]) sent += chunk.length
    done()
  }
  outgoing.assignSocket(socket)
  let turns = 0
  let isOver = false
  const count = (): void => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const items = Array.from({ length: 64 }, () => ({ text: 'x'.repeat(MB / 4) }))
  const whole = await writeDocument(
    outgoing,
    { clock: createFakeClock(), patienceMs: 30_000, status: 200 },
    (document) => writeList(document, items),
  )
  isOver = true
  expect(whole).toBeUndefined()
  expect(sent).toBeGreaterThan(16 * MB)
  expect(turns).toBeGreaterThanOrEqual(15)
})
