// Bodies that are no request at all: broken JSON, broken text, the right text in the wrong dress.
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { Expectation, Generator, Scene } from '../bad-input.ts'
import { POLLUTION, digits, manyKeys, nested } from '../hostile-values.ts'
import { toInput } from '../http-text.ts'
import { writeJson } from '../json-text.ts'
import type { Random } from '../random.ts'
import { REQUESTS_WITH_BODY } from '../valid-requests.ts'

interface Document {
  readonly name: string
  readonly body: string | Uint8Array
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Left out: refused. */
  readonly statuses?: Expectation['statuses'] | 'any'
}

type WriteDocument = (valid: string, random: Random) => Document

const BROKEN_TEXTS = [
  '',
  ' \r\n\t ',
  '{',
  '[',
  '{"agent"',
  '{"agent":',
  '{"agent":{"name":"scripted"',
  'nul',
  'undefined',
  'NaN',
  '[NaN]',
  '-Infinity',
  "{'agent':1}",
  '{agent:{name:"scripted"}}',
  '[1,]',
  '{"a":1,}',
  '{,}',
  '{"a":1 "b":2}',
  '// comment\n{}',
  '{}/* */',
  '{}{}',
  '{}\n{}',
  '{"a":1}}',
  ']',
  '}}}}',
  ']]]][[[[',
  '01',
  '1.',
  '.5',
  '+1',
  '0x10',
  '1e',
  '--1',
  '"\\x41"',
  '"\\u12"',
  '"\\u{1F600}"',
  '"a\nb"',
  '"a\u0001b"',
  '"a',
  '"a\\"',
  '"\\',
  '{"a":"\\',
  '\u0000',
  '{}\u0000',
  '\u2028{}',
  '<xml/>',
  'agent=scripted&messages=1',
  '{"__proto__":{"polluted":"yes"}',
]

const NOT_OBJECTS = [
  'null',
  'true',
  '0',
  '-0',
  '1e999',
  '"{}"',
  '[]',
  '[[]]',
  '[{"agent":{"name":"scripted"}}]',
  '[null]',
]

const BROKEN_UTF8 = [
  'ff',
  'c080',
  'eda080',
  'edb080',
  'f5808080',
  'f8888080',
  'e282',
  'c3',
  '80',
  'fe',
  'f0808080',
  'c1bf',
]

const DEPTHS = [65, 66, 100, 999, 4200, 10_000, 100_000]

const DOCUMENTS: readonly WriteDocument[] = [
  (_, random) => ({ name: 'broken JSON', body: random.pick(BROKEN_TEXTS) }),
  (_, random) => ({ name: 'broken JSON', body: random.pick(BROKEN_TEXTS) }),
  (_, random) => ({ name: 'no object', body: random.pick(NOT_OBJECTS) }),
  (valid, random) => ({ name: 'cut off', body: Buffer.from(valid).subarray(0, random.int(Buffer.byteLength(valid))) }),
  (valid, random) => ({ name: 'one byte wrong', body: spoilBytes(valid, random, 1), statuses: 'any' }),
  (valid, random) => ({
    name: 'some bytes wrong',
    body: spoilBytes(valid, random, 2 + random.int(20)),
    statuses: 'any',
  }),
  (valid, random) => {
    const bytes = random.pick(BROKEN_UTF8)
    return { name: `not UTF-8: ${bytes}`, body: insertIntoString(valid, Buffer.from(bytes, 'hex'), random) }
  },
  (valid, random) => {
    const bytes = random.pick(BROKEN_UTF8)
    return { name: `not UTF-8: ${bytes}`, body: insertIntoString(valid, Buffer.from(bytes, 'hex'), random) }
  },
  (valid) => ({ name: 'byte order mark', body: `\ufeff${valid}`, statuses: 'any' }),
  (valid) => ({ name: 'two byte order marks', body: `\ufeff\ufeff${valid}` }),
  (valid) => ({ name: 'UTF-16', body: Buffer.from(`\ufeff${valid}`, 'utf16le') }),
  (valid, random) => depth(valid, random.pick(DEPTHS), random),
  (valid, random) => depth(valid, random.pick(DEPTHS), random),
  (_, random) => ({ name: 'never closed', body: '['.repeat(random.pick(DEPTHS)) }),
  (_, random) => ({ name: 'only closed', body: ']}'.repeat(random.pick(DEPTHS)) }),
  (valid) => ({ name: '250,001 keys', body: withField(valid, manyKeys(250_001)) }),
  (valid, random) => ({ name: '100,000 digits', body: withField(valid, digits(100_000, random)), statuses: 'any' }),
  (valid) => ({ name: 'polluting root', body: withField(valid, '1', '__proto__'), statuses: 'any' }),
  (valid) => ({
    name: 'polluting root',
    body: `${valid.slice(0, -1)},"__proto__":${JSON.stringify(POLLUTION)},"constructor":{"prototype":{"polluted":"yes"}}}`,
    statuses: 'any',
  }),
  (valid) => ({ name: 'much white space', body: `${' \n'.repeat(20_000)}${valid}`, statuses: 'any' }),
  (valid) => ({ name: 'many escapes', body: withField(valid, `"${'\\u0041\\"\\\\'.repeat(3000)}"`), statuses: 'any' }),
  (valid) => ({ name: 'brackets in a string', body: withField(valid, `"${'[{'.repeat(10_000)}"`), statuses: 'any' }),
  (valid) => compressed(valid, 'gzip', gzipSync),
  (valid) => compressed(valid, 'deflate', deflateSync),
  (valid) => compressed(valid, 'br', brotliCompressSync),
  (valid) => compressed(valid, 'gzip, gzip', (bytes) => gzipSync(gzipSync(bytes))),
  () => compressed(' '.repeat(5_000_000), 'gzip', gzipSync),
  (valid, random) => ({
    name: 'unknown encoding',
    body: valid,
    headers: { 'Content-Encoding': random.pick(['zstd', 'compress', 'x', 'gzip;q=1', 'identity, gzip', 'ID', ',']) },
    statuses: 'any',
  }),
  (valid, random) => ({
    name: 'other content type',
    body: valid,
    headers: { 'Content-Type': random.pick(CONTENT_TYPES) },
    statuses: 'any',
  }),
  (valid) => multipart(valid),
]

const CONTENT_TYPES = [
  undefined,
  '',
  'text/plain',
  'text/html',
  'application/x-www-form-urlencoded',
  'application/json; charset=utf-16',
  'application/json; charset=',
  'application/json;;;',
  'application/jsonx',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'image/png',
  'x'.repeat(4000),
]

function spoilBytes(valid: string, random: Random, count: number): Buffer {
  const bytes = Buffer.from(valid)
  for (let left = count; left > 0; left--) bytes[random.int(bytes.length)] = random.int(256)
  return bytes
}

/** Right after a quote, so that it stands inside a string or directly behind one. */
function insertIntoString(valid: string, inserted: Buffer, random: Random): Buffer {
  const bytes = Buffer.from(valid)
  const quotes = [...bytes.entries()].filter(([, byte]) => byte === 0x22).map(([at]) => at)
  const at = random.pick(quotes) + 1
  return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)])
}

function withField(valid: string, value: string, name = 'extra'): string {
  return `${valid.slice(0, -1)},${JSON.stringify(name)}:${value}}`
}

function depth(valid: string, levels: number, random: Random): Document {
  const value = nested(levels, random.pick(['list', 'object', 'mixed']))
  return {
    name: `depth ${levels}`,
    body: withField(valid, value, random.pick(['extra', 'tools', 'agent', 'messages'])),
  }
}

function compressed(valid: string, encoding: string, compress: (bytes: Buffer) => Buffer): Document {
  return { name: encoding, body: compress(Buffer.from(valid)), headers: { 'Content-Encoding': encoding } }
}

function multipart(valid: string): Document {
  const part = (name: string, text: string) =>
    `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`
  const body = `${part('body', valid)}${part('file"; filename="../../a', 'bytes')}--x--\r\n`
  return { name: 'multipart', body, headers: { 'Content-Type': 'multipart/form-data; boundary=x' } }
}

/** Each document at each route in turn. */
export const generateDocument: Generator = (turn, random, scene: Scene) => {
  const request = REQUESTS_WITH_BODY[turn % REQUESTS_WITH_BODY.length]
  const write = DOCUMENTS[Math.floor(turn / REQUESTS_WITH_BODY.length) % DOCUMENTS.length]
  if (request === undefined || write === undefined) throw new Error('there are no documents')
  const { name, body, headers, statuses = 'refused' } = write(writeJson(request.body(scene)), random)
  return toInput(scene, {
    kind: `document/${request.name}/${name}`,
    method: request.method,
    path: request.path(scene),
    body,
    headers: { ...request.headers?.(scene), ...headers },
    ...(request.door && { door: request.door }),
    expected: statuses === 'any' ? {} : { statuses },
  })
}
