// Requests that are in order but for one header.
import type { Expectation, Generator, Scene } from '../bad-input.ts'
import { FORGED_LINES, INHERITED_NAMES, STRANGE_STRINGS } from '../hostile-values.ts'
import { toInput } from '../http-text.ts'

interface HeaderCase {
  readonly name: string
  readonly values: (scene: Scene) => readonly (string | undefined)[]
  readonly statuses?: Expectation['statuses']
}

/** Some of the bytes that Node's parser lets into a value. */
const VALUES = [
  '',
  ' ',
  ',',
  ';',
  '=',
  '"',
  '%00',
  '\t',
  '\u0080\u00ff',
  'a'.repeat(8000),
  ', '.repeat(2000),
  '0',
  '-1',
  '*/*',
  'null',
  ...STRANGE_STRINGS.map((text) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?')),
]

const CASES: readonly HeaderCase[] = [
  {
    name: 'Authorization',
    statuses: [401],
    values: ({ key }) => [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      'Bearer null',
      `Bearer ${key}x`,
      `Bearer ${key.slice(0, -1)}`,
      `Bearer ${key.toUpperCase()}`,
      `Bearer ${key} ${key}`,
      `Bearer ${key},Bearer ${key}`,
      `Basic ${Buffer.from(`local:${key}`).toString('base64')}`,
      `Digest ${key}`,
      key,
      `Bearer\u00a0${key}`,
      `Bearer sk-blade-v2-${'a'.repeat(43)}`,
      `Bearer ${'a'.repeat(10_000)}`,
      ...INHERITED_NAMES.map((name) => `Bearer ${name}`),
      ...STRANGE_STRINGS.map((text) => `Bearer ${text.replace(/[^\x21-\x7e\x80-\xff]/g, '')}`),
    ],
  },
  {
    name: 'Cookie',
    values: ({ key }) => [
      'polylogue_session=',
      `polylogue_session=${key}`,
      `__Host-polylogue_session=${key}; polylogue_session=${key}`,
      'polylogue_session="'.repeat(300),
      ';;;;=;=',
      '__proto__=1; constructor=2',
      ...VALUES,
    ],
  },
  {
    name: 'Idempotency-Key',
    values: () => [...VALUES, 'a'.repeat(255), 'a'.repeat(256), ...FORGED_LINES.map(toValue)],
  },
  { name: 'Content-Type', values: () => VALUES },
  { name: 'Accept', values: () => VALUES },
  {
    name: 'Origin',
    values: ({ host }) => ['null', 'http://evil.example', `http://${host}.evil.example`, `https://${host}`, ...VALUES],
    statuses: [403],
  },
  {
    name: 'Host',
    values: ({ host }) => [
      undefined,
      'evil.example',
      `${host}.evil.example`,
      `user@${host}`,
      `${host},evil.example`,
      '127.0.0.1.nip.io',
      ...VALUES,
    ],
    statuses: [400, 403],
  },
  { name: 'X-Forwarded-For', values: () => ['127.0.0.1', '::1, 10.0.0.1', '1.2.3.4, '.repeat(500), ...VALUES] },
  { name: 'X-Forwarded-Host', values: () => ['evil.example', ...VALUES] },
  { name: 'Forwarded', values: () => ['for="[::1]"; host=evil', ...VALUES] },
  { name: 'X-HTTP-Method-Override', values: () => ['DELETE', ...VALUES] },
  { name: 'X-Original-URL', values: () => ['/healthz', '/api/polylogue/keys'] },
  { name: 'Upgrade', values: () => ['websocket', 'h2c', 'TLS/1.0', ...VALUES] },
  {
    name: 'Connection',
    values: () => ['Upgrade', 'close, keep-alive', 'authorization', 'keep-alive, keep-alive', ...VALUES],
  },
  { name: 'Expect', values: () => ['100-continue', '200-ok', ...VALUES] },
  { name: 'Range', values: () => ['bytes=0-', 'bytes=-1', 'bytes=5-1', `bytes=${'0-1,'.repeat(1500)}0-1`] },
  { name: 'If-None-Match', values: () => ['*', 'W/"x"', '"'.repeat(4000), ...VALUES] },
  { name: 'Sec-Fetch-Site', values: () => ['cross-site', 'none', ...VALUES] },
  { name: 'User-Agent', values: () => VALUES },
  { name: 'TE', values: () => ['trailers, deflate;q=0.5', ...VALUES] },
  { name: 'Trailer', values: () => ['Content-Length, Transfer-Encoding', ...VALUES] },
  { name: '__proto__', values: () => ['polluted', ...VALUES] },
  { name: 'constructor', values: () => ['polluted', ...VALUES] },
  { name: 'Access-Control-Request-Method', values: () => VALUES },
]

export const generateHeader: Generator = (turn, random, scene) => {
  const header = CASES[turn % CASES.length]
  if (header === undefined) throw new Error('there are no headers')
  const { name, values, statuses } = header
  const value = random.pick(values(scene))
  const isTurn = random.chance(0.5)
  const input = toInput(scene, {
    kind: `header/${name}: ${JSON.stringify(value?.slice(0, 60) ?? 'left out')}`,
    method: isTurn ? 'POST' : 'GET',
    path: isTurn
      ? `/aap/v3/sessions/${scene.sessionId}/turns`
      : random.pick(['/aap/v3/meta', '/aap/v1/sessions', '/api/polylogue/me']),
    ...(isTurn && { body: JSON.stringify({ messages: [{ role: 'user', content: 'say hello' }] }) }),
    headers: { [name]: value },
    ...(statuses && { expected: { statuses } }),
  })
  // What is asked for in these lines is about the connection.
  return { ...input, alone: ['Connection', 'Upgrade', 'Expect', 'Host', 'Origin'].includes(name) }
}

function toValue(text: string): string {
  return text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?')
}
