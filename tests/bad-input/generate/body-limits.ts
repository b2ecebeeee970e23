// Bodies that are more than anybody takes, or come in more pieces than anybody counts.
import type { Expectation } from '../bad-input.ts'
import { toHead } from '../http-text.ts'
import {
  type WriteFraming,
  chunk,
  chunkedHead,
  createHead,
  get,
  head,
  padded,
  tinyChunks,
  usual,
} from './framing-parts.ts'

const TOO_LARGE: Expectation = { answers: 1, statuses: [413] }
/** `POST /api/polylogue/keys` takes this much: the smallest limit there is. */
const SMALL_LIMIT = 64 * 1024

export const BODY_LIMITS: readonly WriteFraming[] = [
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
  (scene) => ({
    name: 'chunks without end and without a key',
    pieces: [
      createHead(scene, { Authorization: undefined }),
      ...Array.from({ length: 20 }, () => chunk(' '.repeat(50_000))),
    ],
    expected: { answers: 1, statuses: [401] },
  }),
  (scene) => ({
    name: '64 MiB announced without a key',
    pieces: [
      createHead(scene, { Authorization: 'Bearer x', 'Transfer-Encoding': undefined, 'Content-Length': '67108864' }),
      '{',
    ],
    expected: { answers: 1, statuses: [401] },
  }),
  (scene) => ({
    name: 'chunks without end to a place that is none',
    pieces: [
      toHead('POST /nowhere HTTP/1.1', { ...usual(scene), 'Transfer-Encoding': 'chunked' }),
      ...Array.from({ length: 20 }, () => chunk(' '.repeat(50_000))),
    ],
    expected: { answers: 1, statuses: [404] },
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
