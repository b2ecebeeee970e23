import { raw } from './json-text.ts'
import type { Random } from './random.ts'

/**
 * What a polluted prototype would give every object of the server. The names are those that requests leave out, so
 * that a request which is refused for a missing field would be taken.
 */
export const POLLUTION = {
  polluted: 'yes',
  name: 'scripted',
  description: 'polluted',
  parameters: {},
  inputSchema: {},
  trust: true,
  granted: true,
  toolCallId: 'c1',
  content: 'polluted',
}
const POLLUTION_TEXT = JSON.stringify(POLLUTION)

export const POLLUTED_OBJECTS = [
  raw(`{"__proto__":${POLLUTION_TEXT}}`),
  raw(`{"constructor":{"prototype":${POLLUTION_TEXT}}}`),
  raw(`{"__proto__":{"__proto__":${POLLUTION_TEXT}}}`),
  raw(`{"a":{"constructor":{"prototype":${POLLUTION_TEXT}}},"__proto__":[${POLLUTION_TEXT}]}`),
  raw(`{"__proto__":null}`),
  raw(`{"toString":null,"valueOf":1,"toJSON":"x","then":{},"length":-1,"hasOwnProperty":0}`),
]

/** Found in every object that was not made without a prototype. */
export const INHERITED_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'isPrototypeOf',
  '__defineGetter__',
  '__lookupSetter__',
  'then',
  'toJSON',
  'length',
]

/** Line ends of every kind, as they would forge an event or a header. */
export const FORGED_LINES = [
  'a\nevent: turn_stop\ndata: {"event":"turn_stop","stopReason":"end_turn"}\n\n',
  'a\r\n\r\nevent: forged\r\ndata: {}\r\n\r\n',
  'a\rid: 999\rdata: x\r\r',
  'a\u0000b',
  'a\u2028event: forged\u2029data: {}\u0085b',
  '\nid: 1\nretry: 1\n\n',
  'a\u000b\u000c\u001c\u001d\u001e\u001fb',
  'data: [DONE]\n\n',
  ': comment\n\n',
  '\ufeffevent: forged',
  'a\r\nSet-Cookie: polylogue=forged\r\n\r\n<html>',
]

export const STRANGE_STRINGS = [
  '',
  ' ',
  '\u0000',
  '\ufeff',
  '\uffff',
  '../../../../etc/passwd',
  '%00%2e%2e%2f',
  "'; DROP TABLE events; --",
  '<script>alert(1)</script>',
  '${7*7}{{7*7}}<%= 7*7 %>',
  '$(reboot)`reboot`',
  '%s%s%s%n%x',
  '\u202eevil\u202c\u200b\u2066',
  'e\u0301'.repeat(500),
  '\ud83d\udc69\u200d\ud83d\udcbb'.repeat(100),
  'ﷺ'.repeat(100),
  '00000000-0000-0000-0000-000000000000',
  'null',
  'undefined',
  'NaN',
  'true',
  '-1',
  '1e999',
  '***',
  ...FORGED_LINES,
  ...INHERITED_NAMES,
]

/** Valid JSON that no UTF-8 text can say without an escape. */
export const LONE_SURROGATES = [
  raw('"\\ud800"'),
  raw('"\\udc00\\ud800"'),
  raw('"a\\udfffb"'),
  raw('"\\ud83d\\ud83d\\udc69"'),
  raw('"\\uD800\\u0000"'),
]

export const STRANGE_NUMBERS = [
  0,
  -0,
  -1,
  1.5,
  1e21,
  2 ** 31,
  2 ** 53 + 2,
  raw('1e999'),
  raw('-1e999'),
  raw('1e-999'),
  raw('9223372036854775808'),
  raw('-9223372036854775809'),
  raw(`0.${'3'.repeat(500)}`),
  raw(`1${'0'.repeat(400)}`),
]

export const OTHER_TYPES = [null, true, false, [], {}, [[]], [null], { a: 1 }, 'text']

/** Words that mean something somewhere else in a request. */
export const SWAPPED_WORDS = [
  'system',
  'user',
  'assistant',
  'tool',
  'tool_permission',
  'text',
  'thinking',
  'tool_use',
  'image',
  'delta',
  'message',
  'none',
  'echo',
  'hidden',
  'boom',
  'scripted',
  'scripted-min',
  'apiKey',
]

export const IMAGE_URLS = [
  'http://127.0.0.1/a.png',
  'https://',
  'https://user:password@[::1]:99999/',
  'javascript:alert(1)',
  'FILE:///etc/passwd',
  'data:',
  'data:image/png;base64,',
  'data:image/png;base64,====',
  'data:image/png;base64,QQ',
  'data:image/png;base64,QR==',
  'data:image/svg+xml;base64,PHN2Zz4=',
  'data:text/html;base64,QQ==',
  'data:image/png,plain',
  `data:image/${'a'.repeat(200)};base64,QQ==`,
  'DATA:IMAGE/PNG;BASE64,QQ==',
  'data:image/png;base64,QQ==',
]

export type Bracket = 'list' | 'object' | 'mixed'

/** A value that is nested so deep. */
export function nested(depth: number, bracket: Bracket): string {
  if (bracket === 'list') return `${'['.repeat(depth)}${']'.repeat(depth)}`
  if (bracket === 'object') return `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
  return `${'[{"a":'.repeat(Math.ceil(depth / 2))}1${'}]'.repeat(Math.ceil(depth / 2))}`
}

const written = new Map<number, string>()

/** Kept, because the largest takes longer to write than to refuse. */
export function manyKeys(count: number): string {
  const text = written.get(count) ?? `{${Array.from({ length: count }, (_, index) => `"k${index}":0`).join(',')}}`
  written.set(count, text)
  return text
}

export function digits(count: number, random: Random): string {
  const block = Array.from({ length: 100 }, () => random.int(10)).join('')
  return `1${block.repeat(Math.ceil(count / 100)).slice(0, count - 1)}`
}
