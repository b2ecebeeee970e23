import type { Generator, Scene } from '../bad-input.ts'
import {
  FORGED_LINES,
  IMAGE_URLS,
  INHERITED_NAMES,
  LONE_SURROGATES,
  OTHER_TYPES,
  POLLUTED_OBJECTS,
  POLLUTION,
  STRANGE_NUMBERS,
  STRANGE_STRINGS,
  SWAPPED_WORDS,
  digits,
  manyKeys,
  nested,
} from '../hostile-values.ts'
import { toInput } from '../http-text.ts'
import { DROPPED, RawJson, pathsOf, raw, replaceAt, writeJson, type JsonPath } from '../json-text.ts'
import type { Random } from '../random.ts'
import { REQUESTS_WITH_BODY } from '../valid-requests.ts'

/** One way to spoil one value of a request. */
interface Mutator {
  readonly name: string
  /** Left out: fits any value. */
  readonly fits?: (value: unknown) => boolean
  readonly apply: (value: unknown, random: Random) => unknown
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof RawJson)

const MUTATORS: readonly Mutator[] = [
  { name: 'drop', apply: () => DROPPED },
  { name: 'null', apply: () => null },
  { name: 'number', apply: (_, random) => random.pick(STRANGE_NUMBERS) },
  { name: 'number', apply: (_, random) => random.pick(STRANGE_NUMBERS) },
  { name: 'number of 100,000 digits', apply: (_, random) => raw(digits(100_000, random)) },
  { name: 'type', apply: (_, random) => random.pick(OTHER_TYPES) },
  { name: 'type', apply: (_, random) => random.pick(OTHER_TYPES) },
  { name: 'wrap in list', apply: (value) => [value] },
  { name: 'wrap in object', apply: (value) => ({ value }) },
  { name: 'string', apply: (_, random) => random.pick(STRANGE_STRINGS) },
  { name: 'string', apply: (_, random) => random.pick(STRANGE_STRINGS) },
  { name: 'string', apply: (_, random) => random.pick(STRANGE_STRINGS) },
  { name: 'inherited name', apply: (_, random) => random.pick(INHERITED_NAMES) },
  { name: 'swapped word', apply: (_, random) => random.pick(SWAPPED_WORDS) },
  { name: 'lone surrogate', apply: (_, random) => random.pick(LONE_SURROGATES) },
  { name: 'long string', apply: (_, random) => random.pick(['x', 'x ', '\\', '\u0001', 'é', '"']).repeat(30_000) },
  { name: 'pollution', apply: (_, random) => random.pick(POLLUTED_OBJECTS) },
  { name: 'pollution', apply: (_, random) => random.pick(POLLUTED_OBJECTS) },
  { name: 'nested 55', apply: (_, random) => raw(nested(55, random.pick(['list', 'object', 'mixed']))) },
  {
    name: 'nested 65 to 5,000',
    apply: (_, random) => raw(nested(65 + random.int(4936), random.pick(['list', 'object']))),
  },
  { name: '2,000 keys', apply: () => raw(manyKeys(2000)) },
  { name: '250,001 keys', apply: () => raw(manyKeys(250_001)) },
  { name: '1,000 times', apply: repeat },
  { name: 'other case', fits: isText, apply: (value) => (isText(value) ? value.toUpperCase() : value) },
  { name: 'forged lines', fits: isText, apply: (value, random) => `${String(value)}${random.pick(FORGED_LINES)}` },
  { name: 'surrounded', fits: isText, apply: (value) => `\u0000 ${String(value)}\ufeff ` },
  { name: 'image', fits: isText, apply: (_, random) => random.pick(IMAGE_URLS) },
  { name: 'empty', fits: isList, apply: () => [] },
  { name: 'twice', fits: isList, apply: (value) => (isList(value) ? [...value, ...value] : value) },
  { name: 'backwards', fits: isList, apply: (value) => (isList(value) ? value.toReversed() : value) },
  { name: 'holes', fits: isList, apply: (value) => (isList(value) ? value.flatMap((item) => [null, item]) : value) },
  { name: 'as object', fits: isList, apply: (value) => (isList(value) ? Object.fromEntries(value.entries()) : value) },
  { name: 'every key twice', fits: isRecord, apply: repeatKeys },
  { name: 'keys in capitals', fits: isRecord, apply: (value) => mapKeys(value, (key) => key.toUpperCase()) },
  { name: 'keys with NUL', fits: isRecord, apply: (value) => mapKeys(value, (key) => `${key}\u0000`) },
  { name: 'as list', fits: isRecord, apply: (value) => (isRecord(value) ? Object.values(value) : value) },
  { name: 'unknown keys', fits: isRecord, apply: (value) => ({ ...asRecord(value), unknown: 1, '': 2, '\ud800': 3 }) },
  { name: 'polluting keys', fits: isRecord, apply: addPollution },
]

/** More than any route takes. A list of lists of long texts would soon be more than this process can hold. */
const MOST_BYTES = 40 * 1024 * 1024

function repeat(value: unknown): unknown {
  const each = value === DROPPED ? 1 : writeJson(value).length
  return Array.from({ length: Math.min(1000, Math.ceil(MOST_BYTES / each)) }, () => value)
}

const asRecord = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {})

function mapKeys(value: unknown, change: (key: string) => string): unknown {
  return Object.fromEntries(Object.entries(asRecord(value)).map(([key, item]) => [change(key), item]))
}

/** The last of two equal keys counts; the first must not be what anybody checks. */
function repeatKeys(value: unknown, random: Random): unknown {
  const entries = Object.entries(asRecord(value))
  const decoys = entries.map(([key]) => `${JSON.stringify(key)}:${writeJson(random.pick(OTHER_TYPES))}`)
  const real = entries.map(([key, item]) => `${JSON.stringify(key)}:${writeJson(item)}`)
  return raw(`{${(random.chance(0.5) ? [...decoys, ...real] : [...real, ...decoys]).join(',')}}`)
}

function addPollution(value: unknown): unknown {
  const entries = Object.entries(asRecord(value)).map(([key, item]) => `${JSON.stringify(key)}:${writeJson(item)}`)
  const pollution = JSON.stringify(POLLUTION)
  return raw(`{${[...entries, `"__proto__":${pollution}`, `"constructor":{"prototype":${pollution}}`].join(',')}}`)
}

type Request = (typeof REQUESTS_WITH_BODY)[number]

/** Every way to spoil every value of every request that has a body. */
function listMutations(): readonly { readonly request: Request; readonly path: JsonPath; readonly mutator: Mutator }[] {
  return REQUESTS_WITH_BODY.flatMap((request) => {
    const body = request.body(NOWHERE)
    return pathsOf(body).flatMap((path) => {
      const value = valueAt(body, path)
      const fitting = MUTATORS.filter(({ fits }) => fits === undefined || fits(value))
      return fitting.map((mutator) => ({ request, path, mutator }))
    })
  })
}

const NOWHERE: Scene = {
  host: '',
  key: '',
  sessionId: '',
  waiting: { sessionId: '', toolCallId: '' },
  foreignSessionId: '',
}

function valueAt(value: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown>)[key], value)
}

const MUTATIONS = listMutations()

/** How many it takes until every mutation came once. */
export const MUTATION_COUNT = MUTATIONS.length

// Prime and far from any round number, so that the first inputs already come from everywhere.
export const STRIDE = 7919

/** How many of the mutations are done to every value of that name. */
const EVERYWHERE_EVERY = 5

/** First each mutation by itself, in an order that mixes the requests; after that one or two more on top. */
export const generateMutation: Generator = (turn, random, scene) => {
  const first = MUTATIONS[(turn * STRIDE) % MUTATIONS.length]
  if (first === undefined) throw new Error('there are no mutations')
  const { request, path, mutator } = first
  const valid = request.body(scene)
  const isEverywhere = turn % EVERYWHERE_EVERY === 0 && typeof path.at(-1) === 'string'
  const places = pathsOf(valid)
  const chosen = isEverywhere ? places.filter((place) => place.at(-1) === path.at(-1)) : [path]
  const names = [`${isEverywhere ? 'every ' : ''}${path.join('.') || 'body'}: ${mutator.name}`]
  // From the last to the first, because what is dropped from a list moves what follows.
  let body = chosen
    .toReversed()
    .reduce((spoilt, place) => replaceAt(spoilt, place, (value) => mutator.apply(value, random)), valid)
  for (let more = turn < MUTATIONS.length ? 0 : 1 + random.int(2); more > 0; more--) {
    const place = random.pick(places)
    const other = random.pick(MUTATORS.filter(({ fits }) => fits === undefined))
    body = replaceAt(body, place, (value) => other.apply(value, random))
    names.push(`${place.join('.') || 'body'}: ${other.name}`)
  }
  return toInput(scene, {
    kind: `mutation/${request.name}/${names.join(' + ')}`,
    method: request.method,
    path: request.path(scene),
    body: writeJson(body === DROPPED ? raw('') : body),
    ...(request.door && { door: request.door }),
    ...(request.headers && { headers: request.headers(scene) }),
  })
}
