import { createFakeClock } from '@polylogue/testkit'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { writeDocument, writeList } from './write-document.ts'

const MB = 1024 * 1024

const ITEMS = Array.from({ length: 64 }, () => ({ text: 'x'.repeat(MB / 4) }))

/** Writes 16 MiB to a client that takes everything at once. Returns how many bytes were sent. */
async function writeLarge(): Promise<number> {
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
  const options = { clock: createFakeClock(), patienceMs: 30_000, status: 200 } as const
  expect(await writeDocument(outgoing, options, (document) => writeList(document, ITEMS))).toBeUndefined()
  return sent
}

it.each([1, 4])('%i large documents for clients that take everything at once leave room for others', async (count) => {
  let turns = 0
  let isOver = false
  const next = (): void => {
    turns += 1
    if (!isOver) setImmediate(next)
  }
  setImmediate(next)
  const sent = await Promise.all(Array.from({ length: count }, writeLarge))
  isOver = true
  expect(Math.min(...sent)).toBeGreaterThan(16 * MB)
  expect(turns).toBeGreaterThanOrEqual(15 * count)
})
