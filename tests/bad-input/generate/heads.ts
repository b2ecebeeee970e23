// Bytes that should have been the head of a request.
import type { Afterwards, Expectation, Generator, Scene } from '../bad-input.ts'
import { toHead } from '../http-text.ts'
import type { Random } from '../random.ts'

interface Head {
  readonly name: string
  readonly bytes: string
  readonly expected: Expectation
  readonly afterwards?: Afterwards
}

type WriteHead = (scene: Scene, random: Random) => Head

const REFUSED: Expectation = { answers: 1, statuses: 'refused' }
const TOO_LARGE: Expectation = { answers: 1, statuses: [431] }
const ANY: Expectation = { answers: 1 }
/** Not HTTP, or a method that takes the connection over: there may be nobody to answer. */
const OR_CLOSED: Expectation = { answers: 'one, or closed instead', statuses: 'refused' }

const TARGETS = [
  '//aap/v3/meta',
  '///',
  'http://evil.example/aap/v3/meta',
  'http://127.0.0.1/aap/v3/meta',
  'https://user:pass@127.0.0.1:1/aap/v3/meta',
  'aap/v3/meta',
  '*',
  '?',
  '#',
  '\\',
  '/\\evil.example',
  '%2faap',
  '@evil.example/',
  'javascript:alert(1)',
  'file:///etc/passwd',
]

const LEGAL_TARGETS = [
  '/%2f%2f',
  '/%00',
  '/aap/v3/%2e%2e/%2e%2e/healthz',
  '/aap/../aap/v3/meta',
  '/../../../../etc/passwd',
  '/%',
  '/%zz',
  '/%c0%ae%c0%ae/',
  '/aap/v3/meta;jsessionid=1',
  '/aap/v3/meta/',
  '/aap/v3/meta%20',
  '/aap/v3/meta#fragment',
  '/assets/%2e%2e%2fapi.js',
  '/assets/../../package.json',
  '/assets/..%5c..%5cpackage.json',
  '/\u00ff\u00fe',
  `/${'a/'.repeat(4000)}`,
  `/${'a'.repeat(12_000)}`,
  `/${'%2e%2e/'.repeat(1500)}`,
  `/aap/v3/sessions?${'a=b&'.repeat(3000)}`,
]

const VERSIONS = ['HTTP/1.2', 'HTTP/9.9', 'HTTP/1', 'HTTP/1.1.1', 'HTTP/11', 'http/1.1', 'HTTPS/1.1', 'HTTP/-1.1', '']

/** Node's parser takes these for HTTP. */
const TOLERATED_VERSIONS = ['HTTP/2.0', 'HTTP/0.9', 'RTSP/1.0', 'ICE/1.0']

const METHODS = ['FOO', 'get', 'GETT', '', 'G\u0000T', 'POST\t', 'GET,POST', '\u00ffGET', 'X'.repeat(5000), '__proto__']
const RARE_METHODS = [
  'ACL',
  'BIND',
  'CHECKOUT',
  'COPY',
  'LOCK',
  'M-SEARCH',
  'MERGE',
  'MKCOL',
  'MOVE',
  'NOTIFY',
  'PROPPATCH',
  'REBIND',
  'REPORT',
  'SOURCE',
  'SUBSCRIBE',
  'UNLOCK',
]

const BAD_LINES = [
  'no colon',
  ': no name',
  'Spaced Name: x',
  'Name : x',
  'A: b\u0000c',
  'A: b\rc',
  ' folded: x',
  '\u00ff: x',
  'A\u0000: x',
  '(): x',
  'Content-Length : 5',
]

const HEADS: readonly WriteHead[] = [
  (scene, random) => {
    const target = random.pick(TARGETS)
    return { name: `target ${target}`, bytes: head(scene, `GET ${target} HTTP/1.1`), expected: OR_CLOSED }
  },
  (scene, random) => {
    const target = random.pick(LEGAL_TARGETS)
    return { name: `target ${target.slice(0, 40)}`, bytes: head(scene, `GET ${target} HTTP/1.1`), expected: ANY }
  },
  (scene, random) => {
    const method = random.pick(METHODS)
    return {
      name: `method ${method.slice(0, 20)}`,
      bytes: head(scene, `${method} /aap/v3/meta HTTP/1.1`),
      expected: REFUSED,
    }
  },
  (scene, random) => {
    const method = random.pick(RARE_METHODS)
    return { name: `method ${method}`, bytes: head(scene, `${method} /aap/v3/meta HTTP/1.1`), expected: ANY }
  },
  (scene) => ({ name: 'CONNECT', bytes: head(scene, 'CONNECT evil.example:443 HTTP/1.1'), expected: OR_CLOSED }),
  (scene, random) => {
    const version = random.pick(VERSIONS)
    return { name: `version ${version}`, bytes: head(scene, `GET /aap/v3/meta ${version}`), expected: REFUSED }
  },
  (scene, random) => {
    const version = random.pick(TOLERATED_VERSIONS)
    return { name: `version ${version}`, bytes: head(scene, `GET /aap/v3/meta ${version}`), expected: ANY }
  },
  (scene) => ({
    name: 'HTTP/1.0',
    bytes: head(scene, 'GET /aap/v3/meta HTTP/1.0'),
    expected: { answers: 1, statuses: [200] },
  }),
  () => ({ name: 'HTTP/1.0 without a host', bytes: 'GET /aap/v3/meta HTTP/1.0\r\n\r\n', expected: REFUSED }),
  () => ({ name: 'HTTP/0.9', bytes: 'GET /aap/v3/meta\r\n', expected: OR_CLOSED, afterwards: 'sends no more' }),
  () => ({ name: 'HTTP/2 preface', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', expected: OR_CLOSED }),
  (scene, random) => {
    const line = random.pick(BAD_LINES)
    return { name: `line ${JSON.stringify(line)}`, bytes: withLine(scene, line), expected: REFUSED }
  },
  (scene) => ({ name: 'a header of 64 KiB', bytes: withLine(scene, `A: ${'x'.repeat(65_536)}`), expected: TOO_LARGE }),
  (scene) => ({
    name: 'a cursor of 1 MiB',
    bytes: withLine(scene, `Last-Event-ID: ${'1'.repeat(1024 * 1024)}`),
    expected: TOO_LARGE,
  }),
  (scene) => ({ name: 'a name of 64 KiB', bytes: withLine(scene, `${'x'.repeat(65_536)}: a`), expected: TOO_LARGE }),
  (scene) => ({
    name: '100,000 headers',
    bytes: withLine(scene, 'a: b\r\n'.repeat(99_999) + 'a: b'),
    expected: TOO_LARGE,
  }),
  (scene) => ({ name: '2,500 headers', bytes: withLine(scene, 'a:b\r\n'.repeat(2499) + 'a:b'), expected: ANY }),
  (scene) => ({ name: '500 different headers', bytes: withLine(scene, manyLines(500)), expected: ANY }),
  (scene) => ({
    name: '10,000 query parameters',
    bytes: head(scene, `GET /aap/v3/sessions?${manyParameters(10_000)} HTTP/1.1`),
    expected: TOO_LARGE,
  }),
  (scene) => ({
    name: 'a path of 64 KiB',
    bytes: head(scene, `GET /${'a'.repeat(65_536)} HTTP/1.1`),
    expected: TOO_LARGE,
  }),
  (scene) => ({
    name: 'two hosts',
    bytes: withLine(scene, 'Host: evil.example'),
    expected: { answers: 1, statuses: [400, 403] },
  }),
  (scene) => ({ name: 'two keys', bytes: withLine(scene, 'Authorization: Bearer x'), expected: ANY }),
  (scene) => ({
    name: 'bare line feeds',
    bytes: head(scene, 'GET /aap/v3/meta HTTP/1.1').replaceAll('\r\n', '\n'),
    expected: OR_CLOSED,
  }),
  (scene) => ({
    name: 'bare carriage returns',
    bytes: head(scene, 'GET /aap/v3/meta HTTP/1.1').replaceAll('\r\n', '\r'),
    expected: OR_CLOSED,
  }),
  (_, random) => ({
    name: 'noise',
    bytes: noise(random, 1 + random.int(2000)),
    expected: OR_CLOSED,
    afterwards: 'sends no more',
  }),
  () => ({
    name: 'TLS',
    bytes: '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003'.padEnd(517, '\u00aa'),
    expected: OR_CLOSED,
  }),
  () => ({ name: 'only line ends', bytes: '\r\n'.repeat(1000), expected: OR_CLOSED, afterwards: 'sends no more' }),
  () => ({ name: 'nothing', bytes: '', expected: { answers: 'whatever' }, afterwards: 'sends no more' }),
  (scene, random) => {
    const whole = head(scene, 'GET /aap/v3/meta HTTP/1.1')
    return {
      name: 'cut off',
      bytes: whole.slice(0, random.int(whole.length - 1)),
      expected: OR_CLOSED,
      afterwards: 'sends no more',
    }
  },
  (scene, random) => {
    const whole = head(scene, 'GET /aap/v3/sessions HTTP/1.1')
    return {
      name: 'left',
      bytes: whole.slice(0, random.int(whole.length)),
      expected: { answers: 'whatever' },
      afterwards: 'leaves',
    }
  },
  (scene, random) => ({
    name: 'bytes wrong',
    bytes: spoil(head(scene, 'GET /aap/v3/meta HTTP/1.1'), random),
    expected: { answers: 'one, or closed instead' },
    afterwards: 'sends no more',
  }),
]

export const generateHead: Generator = (turn, random, scene) => {
  const write = HEADS[turn % HEADS.length]
  if (write === undefined) throw new Error('there are no heads')
  const { name, bytes, expected, afterwards = 'waits' } = write(scene, random)
  return { kind: `head/${name}`, door: 'tcp', pieces: [bytes], afterwards, alone: true, expected }
}

function head({ host, key }: Scene, requestLine: string): string {
  return toHead(requestLine, { Host: host, Authorization: `Bearer ${key}`, Connection: 'close' })
}

function withLine(scene: Scene, line: string): string {
  return head(scene, 'GET /aap/v3/meta HTTP/1.1').replace('\r\n\r\n', `\r\n${line.replaceAll('$', '$$$$')}\r\n\r\n`)
}

function manyLines(count: number): string {
  return Array.from({ length: count }, (_, index) => `x-${index}: ${index}`).join('\r\n')
}

function manyParameters(count: number): string {
  return Array.from({ length: count }, (_, index) => `k${index}=${index}`).join('&')
}

function noise(random: Random, length: number): string {
  return Array.from({ length }, () => String.fromCharCode(random.int(256))).join('')
}

function spoil(text: string, random: Random): string {
  const bytes = Buffer.from(text, 'latin1')
  for (let left = 1 + random.int(3); left > 0; left--) bytes[random.int(bytes.length)] = random.int(256)
  return bytes.toString('latin1')
}
