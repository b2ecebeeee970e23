// Bodies of many megabytes. Few of them, because each takes as long as a hundred others.
import type { Expectation, Generator, Piece } from '../bad-input.ts'
import { manyKeys, nested } from '../hostile-values.ts'
import { toHead } from '../http-text.ts'

const MEBIBYTE = 1024 * 1024

interface LargeBody {
  readonly name: string
  readonly pieces: () => readonly Piece[]
  readonly statuses: NonNullable<Expectation['statuses']>
  readonly isChunked?: true
}

const seed = (message: string): string => `{"agent":{"name":"scripted"},"messages":[${message}]}`
const text = (content: string): string => seed(`{"role":"user","content":${content}}`)
const image = (bytes: number): string =>
  text(`[{"type":"image","url":"data:image/png;base64,${Buffer.alloc(bytes, 1).toString('base64')}"}]`)

const LARGE_BODIES: readonly LargeBody[] = [
  { name: 'depth 1,000,000', pieces: () => [`{"agent":${nested(1_000_000, 'list')}}`], statuses: [400] },
  { name: 'depth 300,000 of objects', pieces: () => [`{"agent":${nested(300_000, 'object')}}`], statuses: [400] },
  { name: '1,000,000 keys', pieces: () => [`{"agent":${manyKeys(1_000_000)}}`], statuses: [400] },
  { name: '1,000,000 empty objects', pieces: () => [seed(`${'{},'.repeat(999_999)}{}`)], statuses: [400] },
  { name: '400,000 empty objects', pieces: () => [seed(`${'{},'.repeat(399_999)}{}`)], statuses: [400] },
  {
    name: '200,000 messages',
    pieces: () => [seed(Array.from({ length: 200_000 }, () => '{"role":"user"}').join(','))],
    statuses: [400],
  },
  { name: 'a string of 8 MiB and one', pieces: () => [text(`"${'x'.repeat(8 * MEBIBYTE + 1)}"`)], statuses: [400] },
  { name: 'a string of 30 MiB', pieces: () => [text(`"${'x'.repeat(30 * MEBIBYTE)}"`)], statuses: [400] },
  { name: '9,000,000 escapes', pieces: () => [text(`"${'\\"'.repeat(9_000_000)}"`)], statuses: [400] },
  { name: '10,000,000 digits', pieces: () => [`{"agent":1${'0'.repeat(10_000_000)}}`], statuses: [400] },
  { name: '30 MiB of white space', pieces: () => [`${' '.repeat(30 * MEBIBYTE)}{}`], statuses: [400] },
  { name: '30 MiB of numbers', pieces: () => ['1e308 '.repeat(5 * MEBIBYTE)], statuses: [400] },
  { name: '30 MiB of backslashes', pieces: () => [`"${'\\'.repeat(30 * MEBIBYTE)}"`], statuses: [400] },
  { name: '30 MiB of brackets', pieces: () => ['[]'.repeat(15 * MEBIBYTE)], statuses: [400] },
  {
    name: 'no image of 30 MiB',
    pieces: () => [text(`"data:image/png;base64,${'\\"'.repeat(15 * MEBIBYTE)}"`)],
    statuses: [400],
  },
  { name: '20 MiB of quotes', pieces: () => ['"'.repeat(20 * MEBIBYTE)], statuses: [400] },
  { name: 'an image of 2 MiB', pieces: () => [image(2 * MEBIBYTE)], statuses: [201] },
  { name: '33 MiB', pieces: () => [' '.repeat(33 * MEBIBYTE)], statuses: [413] },
  { name: '33 MiB in chunks', pieces: () => endlessChunks(33), statuses: [413], isChunked: true },
]

export const LARGE_BODY_COUNT = LARGE_BODIES.length

export const generateLargeBody: Generator = (turn, _, { host, key }) => {
  const large = LARGE_BODIES[turn % LARGE_BODIES.length]
  if (large === undefined) throw new Error('there are no large bodies')
  const { name, statuses, isChunked } = large
  const body = large.pieces()
  const bytes = body.reduce((sum, piece) => sum + piece.length, 0)
  const head = toHead('POST /aap/v3/sessions HTTP/1.1', {
    Host: host,
    Authorization: `Bearer ${key}`,
    'Content-Type': 'application/json',
    ...(isChunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': String(bytes) }),
  })
  return {
    kind: `large/${name}`,
    door: 'tcp',
    pieces: [head, ...body],
    afterwards: 'waits',
    alone: true,
    expected: { answers: 1, statuses },
  }
}

/** Without the last one: nobody should wait for it. */
function endlessChunks(mebibytes: number): readonly Piece[] {
  const chunk = `100000\r\n${' '.repeat(MEBIBYTE)}\r\n`
  return Array.from({ length: mebibytes }, () => chunk)
}
