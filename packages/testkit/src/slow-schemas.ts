import type { JsonObject, JsonValue } from '@polylogue/engine'

/** A schema that looks normal, and a value that takes a naive checker seconds or longer. */
export interface SlowSchema {
  readonly name: string
  readonly schema: JsonObject
  readonly value: JsonObject
}

const PATTERNS: readonly string[] = [
  '^(a+)+$',
  '^(a*)*$',
  '^(a|a)*$',
  '^(a|aa)+$',
  '^(a|a?)+$',
  '^(.*a){20}$',
  '^([a-zA-Z]+)*$',
  '^(a+){2,}$',
  '^((a+)b?)+$',
  '^(aa?)*$',
  '^(\\w+\\s?)*$',
  '^(\\w*)*$',
  '^([^b]+)+$',
  '^(?:a+)+$',
  '^(a{1,9})+$',
  '^(a+)+\\b$',
  '(a+)+$',
  '^(([a])+.)+$',
  '^(a?){40}a{40}$',
  '^(.+)+x$',
  '^(\\S+)+$',
  '^((a|b|ab)+)+$',
]

const text = `${'a'.repeat(40)}!`
const inObject = (a: JsonObject): JsonObject => ({ type: 'object', properties: { a } })

const patterns = PATTERNS.flatMap((pattern): SlowSchema[] => [
  { name: `pattern ${pattern}`, schema: inObject({ type: 'string', pattern }), value: { a: text } },
  {
    name: `patternProperties ${pattern}`,
    schema: { type: 'object', patternProperties: { [pattern]: {} } },
    value: { [text]: 1 },
  },
])

/** Alternatives inside recursion: every level is tried twice. */
const recursion = (keyword: 'anyOf' | 'oneOf' | 'allOf'): SlowSchema => {
  const branch = { type: 'array', items: { $ref: '#/$defs/node' } }
  const node = keyword === 'allOf' ? { allOf: [branch, branch] } : { [keyword]: [branch, branch, { const: 1 }] }
  let value: JsonValue = keyword === 'allOf' ? [] : [2]
  for (let level = 0; level < 30; level++) value = [value]
  return {
    name: `${keyword} in recursion`,
    schema: { type: 'object', $defs: { node }, properties: { a: { $ref: '#/$defs/node' } } },
    value: { a: value },
  }
}

/** Each definition refers to the previous one twice: the schema is small, but its expansion is exponential. */
function doubled(keyword: 'allOf' | 'anyOf'): SlowSchema {
  const $defs: Record<string, JsonObject> = { d0: { type: 'string', minLength: 9 } }
  for (let level = 1; level <= 26; level++) {
    $defs[`d${level}`] = { [keyword]: [{ $ref: `#/$defs/d${level - 1}` }, { $ref: `#/$defs/d${level - 1}` }] }
  }
  const a = keyword === 'allOf' ? text : 'short'
  return {
    name: `doubled ${keyword}`,
    schema: { type: 'object', $defs, properties: { a: { $ref: '#/$defs/d26' } } },
    value: { a },
  }
}

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index)

const others: readonly SlowSchema[] = [
  recursion('anyOf'),
  recursion('oneOf'),
  recursion('allOf'),
  doubled('allOf'),
  doubled('anyOf'),
  {
    name: 'uniqueItems of many objects',
    schema: inObject({ type: 'array', uniqueItems: true }),
    value: { a: numbers(30_000).map((n) => ({ n: [n] })) },
  },
  {
    name: 'many alternatives for many items',
    schema: inObject({ type: 'array', items: { anyOf: numbers(3_000).map((n) => ({ const: { n } })) } }),
    value: { a: numbers(20_000).map((n) => ({ n: -n })) },
  },
  {
    name: 'contains nothing of it',
    schema: inObject({ type: 'array', items: { type: 'array', contains: { type: 'array', contains: { const: -1 } } } }),
    value: { a: numbers(100).map(() => numbers(300).map(() => numbers(100))) },
  },
]

/** At least fifty ways to make a checker slow. */
export const SLOW_SCHEMAS: readonly SlowSchema[] = [...patterns, ...others]
