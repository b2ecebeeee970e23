// Requests whose address is wrong: a segment, a query parameter, or the whole of it.
import type { Generator } from '../bad-input.ts'
import { INHERITED_NAMES, STRANGE_STRINGS } from '../hostile-values.ts'
import { toInput } from '../http-text.ts'
import type { Random } from '../random.ts'
import { ADDRESSED_REQUESTS } from '../valid-requests.ts'

const SEGMENTS = [
  '..',
  '.',
  '%2e%2e',
  '%2f',
  '%2F%2f',
  '%5c',
  '%00',
  '%',
  '%zz',
  '%c0%80',
  '%ff%fe',
  '%ed%a0%80',
  '%E2%80%A8',
  '%0d%0aSet-Cookie:%20a=b',
  '*',
  ':id',
  ';a=b',
  '@',
  '$',
  '{id}',
  '0',
  '-1',
  'null',
  'undefined',
  'a'.repeat(2000),
  '%41'.repeat(1000),
  '00000000-0000-0000-0000-000000000000',
  'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
  '0198c0de-7a11-7000-8000-00000000000g',
  '0198c0de7a11700080000000000000000',
  '0198c0de-7a11-7000-8000-000000000000%00',
  '\\..\\..',
  '~',
  '%252e%252e',
  'caf\u00e9',
  ...INHERITED_NAMES,
]

const QUERIES = [
  '?',
  '??',
  '?&&&&',
  '?=',
  '?a',
  '?%',
  '?%zz=%zz',
  '?__proto__=1&__proto__[polluted]=yes',
  '?constructor[prototype][polluted]=yes',
  '?after[]=1&after[]=2',
  '?after=1&after=2&after=3',
  '?type=full&type=compacted',
  '?type=full%00',
  '?limit=1e2&limit=0x10',
  '?limit=999999999999999999999',
  '?limit=-1',
  '?limit=NaN',
  '?limit=',
  '?before=%00',
  '?stream=none',
  '?stream=__proto__',
  '?follow=yes',
  '?%E2%80%A8=%0d%0a',
  `?${'a=1&'.repeat(2000)}`,
  `?${'&'.repeat(8000)}`,
  `?a=${'%41'.repeat(3000)}`,
  `?${Array.from({ length: 1000 }, (_, index) => `k${index}=${index}`).join('&')}`,
  '?a=#fragment',
  '?a=b?c=d',
  '?after=' + 'MDE5'.repeat(500),
]

const METHODS = [
  'GET',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'HEAD',
  'OPTIONS',
  'PROPFIND',
  'PURGE',
  'QUERY',
  'TRACE',
  'SEARCH',
  'LINK',
]

export const generateAddress: Generator = (turn, random, scene) => {
  const request = ADDRESSED_REQUESTS[turn % ADDRESSED_REQUESTS.length]
  if (request === undefined) throw new Error('there are no requests')
  const path = request.path(scene)
  const query = request.query ? `?${new URLSearchParams(request.query)}` : ''
  const { kind, target, method = request.method } = spoil(path, query, random)
  const input = toInput(scene, {
    kind: `address/${request.name}/${kind}`,
    method,
    path: target,
    headers: request.headers?.(scene) ?? {},
    ...(request.door && { door: request.door }),
  })
  // A stream of events ends when a turn does, and here there may be none.
  if (request.name.endsWith('events')) return { ...input, afterwards: 'leaves when answered', alone: true }
  // Whoever cannot write a target is answered only where no answer has been before.
  return /^[!-~]*$/.test(target) ? input : { ...input, alone: true }
}

function spoil(path: string, query: string, random: Random): { kind: string; target: string; method?: string } {
  switch (random.int(8)) {
    case 0:
      return { kind: 'segment', target: replaceSegment(path, random.pick(SEGMENTS), random) + query }
    case 1:
      return {
        kind: 'encoded segment',
        target: replaceSegment(path, encode(random.pick(STRANGE_STRINGS)), random) + query,
      }
    case 2:
      return { kind: 'one segment more', target: `${path}/${random.pick(SEGMENTS)}${query}` }
    case 3:
      return { kind: 'query', target: path + random.pick(QUERIES) }
    case 4:
      return { kind: 'query value', target: path + spoilQuery(query, random) }
    case 5:
      return {
        kind: 'slashes',
        target: `/${path.slice(1).replaceAll('/', random.pick(['//', '/./', '/%2e/', '\\', '/;/']))}`,
      }
    case 6:
      return { kind: 'case', target: path.toUpperCase() + query }
    default:
      return { kind: 'method', target: path + query, method: random.pick(METHODS) }
  }
}

function replaceSegment(path: string, segment: string, random: Random): string {
  const segments = path.split('/')
  segments[1 + random.int(Math.max(1, segments.length - 1))] = segment
  return segments.join('/').replace(/^\/*/, '/')
}

function spoilQuery(query: string, random: Random): string {
  const parameters = new URLSearchParams(query)
  const name = random.pick([...parameters.keys(), 'after'])
  return `?${[...parameters].map(([key, value]) => `${key}=${encode(key === name ? random.pick(STRANGE_STRINGS) : value)}`).join('&')}`
}

/** Lone surrogates have no percent form. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
