// Bodies whose length is a lie, a riddle, or more than anybody takes.
import type { BadInput, Expectation, Generator, Piece, Scene } from '../bad-input.ts'
import { toHead } from '../http-text.ts'
import type { Random } from '../random.ts'

interface Framing {
  readonly name: string
  readonly pieces: readonly Piece[]
  readonly expected: Expectation
  readonly afterwards?: BadInput['afterwards']
}

type WriteFraming = (scene: Scene, random: Random) => Framing

const BROKEN: Expectation = { answers: 'one, or closed instead', statuses: 'refused' }
const TOO_LARGE: Expectation = { answers: 1, statuses: [413] }
/** `POST /api/polylogue/keys` takes this much: the smallest limit there is. */
const SMALL_LIMIT = 64 * 1024

const LENGTHS = [
  '-1',
  '+5',
  '5, 5',
  '5 5',
  '0x5',
  '1e3',
  '5.0',
  '99999999999999999999',
  'five',
  '5;',
  '\u00b2',
  '5\u00005',
  ' ',
  '５',
]
const CODINGS = [
  'gzip',
  'chunked, gzip',
  'gzip, chunked',
  'identity',
  'xchunked',
  'chunked, chunked',
  ', chunked',
  'chunked;a=b',
  'Chunked, identity',
  '"chunked"',
  ' ',
  'chunked\u000b',
]
const CHUNK_SIZES = [
  'zz',
  '-1',
  '+5',
  '0x5',
  '5 ',
  ' 5',
  '',
  '5\u0000',
  'ffffffffffffffffff',
  'fffffffffffffffe',
  '5_',
  '５',
  '5\u00a0',
]

const FRAMINGS: readonly WriteFraming[] = [
  (scene, random) => {
    const length = random.pick(LENGTHS)
    return {
      name: `Content-Length: ${length}`,
      pieces: [head(scene, { 'Content-Length': length }) + '{}   '],
      expected: BROKEN,
    }
  },
  (scene) => ({
    name: 'two lengths',
    pieces: [head(scene, { 'Content-Length': '2', 'content-length': '70' }) + '{}' + smuggled(scene)],
    expected: BROKEN,
  }),
  (scene) => ({
    name: 'the same length twice',
    pieces: [head(scene, { 'Content-Length': '2', 'content-length': '2' }) + '{}'],
    expected: BROKEN,
  }),
  (scene) => ({
    name: 'length and chunks',
    pieces: [head(scene, { 'Content-Length': '6', 'Transfer-Encoding': 'chunked' }) + '0\r\n\r\n' + smuggled(scene)],
    expected: BROKEN,
  }),
  (scene) => ({
    name: 'chunks and length',
    pieces: [
      head(scene, { 'Transfer-Encoding': 'chunked', 'Content-Length': '4' }) + '2\r\n{}\r\n0\r\n\r\n' + smuggled(scene),
    ],
    expected: BROKEN,
  }),
  (scene, random) => {
    const coding = random.pick(CODINGS)
    return {
      name: `Transfer-Encoding: ${coding}`,
      pieces: [head(scene, { 'Transfer-Encoding': coding }) + '2\r\n{}\r\n0\r\n\r\n'],
      expected: BROKEN,
      afterwards: 'sends no more',
    }
  },
  (scene) => ({
    name: 'two codings',
    pieces: [head(scene, { 'Transfer-Encoding': 'chunked', 'transfer-encoding': 'identity' }) + '2\r\n{}\r\n0\r\n\r\n'],
    expected: BROKEN,
    afterwards: 'sends no more',
  }),
  (scene, random) => {
    const size = random.pick(CHUNK_SIZES)
    return {
      name: `chunk of ${JSON.stringify(size)}`,
      pieces: [chunkedHead(scene), `2\r\n{}\r\n${size}\r\nhello\r\n0\r\n\r\n`],
      expected: BROKEN,
      afterwards: 'sends no more',
    }
  },
  (scene) => ({
    name: 'chunk longer than said',
    pieces: [chunkedHead(scene), '2\r\n{}}}\r\n0\r\n\r\n'],
    expected: BROKEN,
  }),
  (scene) => ({ name: 'bare line feeds', pieces: [chunkedHead(scene), '2\n{}\n0\n\n'], expected: BROKEN }),
  (scene) => ({
    name: 'huge extension',
    pieces: [chunkedHead(scene), `2;${'x'.repeat(100_000)}\r\n{}\r\n0\r\n\r\n`],
    expected: BROKEN,
  }),
  (scene) => ({
    name: 'many trailers',
    pieces: [chunkedHead(scene), `2\r\n{}\r\n0\r\n${'a: b\r\n'.repeat(5000)}\r\n`],
    expected: { answers: 'one, or closed instead' },
  }),
  (scene) => ({
    name: 'a forbidden trailer',
    pieces: [chunkedHead(scene), '2\r\n{}\r\n0\r\nContent-Length: 99\r\nAuthorization: Bearer x\r\n\r\n'],
    expected: { answers: 1, statuses: 'refused' },
  }),
  (scene) => ({
    name: '47 KB of chunks of one byte',
    pieces: [createHead(scene), tinyChunks(padded(7800))],
    expected: { answers: 1, statuses: [201] },
  }),
  (scene) => ({
    name: 'chunks of one byte in 100 packets',
    pieces: [createHead(scene), ...padded(100).split('').map(chunk), '0\r\n\r\n'],
    expected: { answers: 1, statuses: [201] },
  }),
  (scene) => ({
    name: 'too many chunks',
    pieces: [chunkedHead(scene), tinyChunks('x'.repeat(SMALL_LIMIT + 1))],
    expected: TOO_LARGE,
  }),
  (scene) => ({
    name: 'one chunk too large',
    pieces: [chunkedHead(scene), chunk('x'.repeat(SMALL_LIMIT + 1)), '0\r\n\r\n'],
    expected: TOO_LARGE,
  }),
  (scene) => ({
    name: 'a limit crossed in the middle',
    pieces: [chunkedHead(scene), ...Array.from({ length: 9 }, () => chunk('x'.repeat(SMALL_LIMIT / 8))), '0\r\n\r\n'],
    expected: TOO_LARGE,
  }),
  (scene) => ({
    name: 'a limit crossed and no end',
    pieces: [chunkedHead(scene), ...Array.from({ length: 9 }, () => chunk('x'.repeat(SMALL_LIMIT / 8)))],
    expected: TOO_LARGE,
  }),
  (scene) => ({
    name: 'more than the limit announced',
    pieces: [head(scene, { 'Content-Length': String(SMALL_LIMIT + 1) }), '{"name":'],
    expected: { answers: 'one, or closed instead', statuses: [413] },
    afterwards: 'sends no more',
  }),
  (scene) => ({
    name: '64 MiB announced',
    pieces: [createHead(scene, { 'Transfer-Encoding': undefined, 'Content-Length': String(64 * 1024 * 1024) }), '{'],
    expected: TOO_LARGE,
  }),
  (scene) => ({
    name: '64 MiB expected to be asked for',
    pieces: [
      createHead(scene, {
        'Transfer-Encoding': undefined,
        'Content-Length': String(64 * 1024 * 1024),
        Expect: '100-continue',
      }),
    ],
    expected: TOO_LARGE,
  }),
  (scene, random) => ({
    name: 'body cut off',
    pieces: [head(scene, { 'Content-Length': '100' }), '{"name":"a"}'.slice(0, random.int(12))],
    expected: BROKEN,
    afterwards: 'sends no more',
  }),
  (scene) => ({
    name: 'left in the body',
    pieces: [head(scene, { 'Content-Length': '100' }), '{"name":'],
    expected: { answers: 'whatever' },
    afterwards: 'leaves',
  }),
  (scene, random) => ({
    name: 'left in a turn',
    pieces: [turnRequest(scene, 'say a b c\ntokens 200', random.pick(['delta', 'message', 'none']))],
    expected: { answers: 'whatever' },
    afterwards: random.pick(['leaves', 'sends no more', 'leaves when answered']),
  }),
  (scene) => ({
    name: '20 requests at once',
    pieces: [get(scene, '/healthz').repeat(20)],
    expected: { answers: 20, statuses: [200] },
  }),
  (scene) => ({
    name: 'turns at once',
    pieces: [turnRequest(scene, 'say a', 'delta') + turnRequest(scene, 'say b', 'none') + get(scene, '/aap/v3/meta')],
    expected: { answers: 3, statuses: [200, 409] },
  }),
  (scene) => ({
    name: 'a request, then noise',
    pieces: [`${get(scene, '/healthz')}\u0000\u0001\u0002 nonsense\r\n\r\n`],
    expected: { answers: 1 },
  }),
  (scene) => ({
    name: 'GET with a body',
    pieces: [
      toHead('GET /aap/v3/meta HTTP/1.1', { ...usual(scene), 'Content-Length': '5' }) +
        'hello' +
        get(scene, '/healthz'),
    ],
    expected: { answers: 2, statuses: [200] },
  }),
  (scene) => ({
    name: 'a body that nobody reads',
    pieces: [
      toHead(`POST /aap/v3/sessions/${scene.sessionId}/cancel HTTP/1.1`, {
        ...usual(scene),
        'Content-Length': '1000000',
      }),
      'x'.repeat(1_000_000),
      get(scene, '/healthz'),
    ],
    expected: { answers: 2, statuses: [200, 202] },
  }),
]

export const generateFraming: Generator = (turn, random, scene) => {
  const write = FRAMINGS[turn % FRAMINGS.length]
  if (write === undefined) throw new Error('there are no framings')
  const { name, pieces, expected, afterwards = 'waits' } = write(scene, random)
  return { kind: `framing/${name}`, door: 'tcp', pieces, afterwards, alone: true, expected }
}

function usual({ host, key }: Scene): Record<string, string> {
  return { Host: host, Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
}

function head(scene: Scene, headers: Readonly<Record<string, string>>): string {
  return toHead('POST /api/polylogue/keys HTTP/1.1', { ...usual(scene), ...headers })
}

function chunkedHead(scene: Scene): string {
  return head(scene, { 'Transfer-Encoding': 'chunked' })
}

function createHead(scene: Scene, headers: Readonly<Record<string, string | undefined>> = {}): string {
  return toHead('POST /aap/v3/sessions HTTP/1.1', { ...usual(scene), 'Transfer-Encoding': 'chunked', ...headers })
}

function get(scene: Scene, path: string): string {
  return toHead(`GET ${path} HTTP/1.1`, usual(scene))
}

function turnRequest(scene: Scene, content: string, stream: string): string {
  const body = JSON.stringify({ messages: [{ role: 'user', content }], stream })
  return `${toHead(`POST /aap/v3/sessions/${scene.sessionId}/turns HTTP/1.1`, { ...usual(scene), 'Content-Length': String(body.length) })}${body}`
}

/** Would be a request of its own for whoever believes the other length. */
function smuggled({ host }: Scene): string {
  return `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nX-Smuggled: yes\r\n\r\n`
}

/** A valid request of so many bytes. */
function padded(bytes: number): string {
  const valid = '{"agent":{"name":"scripted"}}'
  return valid + ' '.repeat(bytes - valid.length)
}

function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`
}

function tinyChunks(text: string): string {
  return `${text.replace(/./gs, '1\r\n$&\r\n')}0\r\n\r\n`
}
