// Bodies whose length is a lie or a riddle, and requests that come in one packet with others.
import type { Expectation, Generator } from '../bad-input.ts'
import { toHead } from '../http-text.ts'
import { BODY_LIMITS } from './body-limits.ts'
import { type WriteFraming, chunkedHead, get, head, smuggled, turnRequest, usual } from './framing-parts.ts'

const BROKEN: Expectation = { answers: 'one, or closed instead', statuses: 'refused' }

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
    afterwards: 'waits to be closed',
  }),
  (scene) => ({
    name: 'the same length twice',
    pieces: [head(scene, { 'Content-Length': '2', 'content-length': '2' }) + '{}'],
    expected: BROKEN,
    afterwards: 'waits to be closed',
  }),
  (scene) => ({
    name: 'length and chunks',
    pieces: [head(scene, { 'Content-Length': '6', 'Transfer-Encoding': 'chunked' }) + '0\r\n\r\n' + smuggled(scene)],
    expected: BROKEN,
    afterwards: 'waits to be closed',
  }),
  (scene) => ({
    name: 'chunks and length',
    pieces: [
      head(scene, { 'Transfer-Encoding': 'chunked', 'Content-Length': '4' }) + '2\r\n{}\r\n0\r\n\r\n' + smuggled(scene),
    ],
    expected: BROKEN,
    afterwards: 'waits to be closed',
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
    afterwards: 'waits to be closed',
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
  ...BODY_LIMITS,
]

export const generateFraming: Generator = (turn, random, scene) => {
  const write = FRAMINGS[turn % FRAMINGS.length]
  if (write === undefined) throw new Error('there are no framings')
  const { name, pieces, expected, afterwards = 'waits' } = write(scene, random)
  return { kind: `framing/${name}`, door: 'tcp', pieces, afterwards, alone: true, expected }
}
