// A server's schema is untrusted, and a hostile schema can run forever: through patterns, exponential references, recursion,
// or many alternatives for many elements. So a model's input is compared with the keywords below only, and not compiled, and
// only as far as a number of steps goes. Every input that matches the server's schema passes. The server checks the rest itself.
import type { InputCheck, JsonObject, JsonValue } from '@polylogue/engine'
import { isJsonObject } from '../split-meta.ts'

/** The maximum number of comparisons for one input: a few milliseconds. What is left then passes. */
const MOST_STEPS = 100_000

interface Walk {
  steps: number
}

interface Found {
  /** Names and indexes from the input to the wrong value. */
  readonly path: readonly (string | number)[]
  readonly problem: string
}

/** The caller has limited the depth of the schema, which every step below follows. */
export function checkAgainst(schema: JsonObject, input: JsonObject): InputCheck {
  const found = findProblem(schema, input, { steps: MOST_STEPS })
  if (found === undefined) return { ok: true, input }
  const { path, problem } = found
  return { ok: false, problem: path.length === 0 ? problem : `${path.join('.')}: ${problem}` }
}

function findProblem(schema: JsonValue, value: JsonValue, walk: Walk): Found | undefined {
  if (--walk.steps < 0 || schema === true) return undefined
  if (schema === false) return here('is not allowed')
  if (!isJsonObject(schema)) return undefined
  const problem = problemOf(schema, value, walk)
  if (problem !== undefined) return here(problem)
  return findInside(schema, value, walk) ?? findInChoices(schema, value, walk)
}

const here = (problem: string): Found => ({ path: [], problem })

/** What is wrong with the value itself. */
function problemOf(schema: JsonObject, value: JsonValue, walk: Walk): string | undefined {
  const types = typesOf(schema['type'])
  if (types !== undefined && !types.some((type) => isOfType(value, type))) return `must be ${types.join(',')}`
  if (Object.hasOwn(schema, 'const') && !isSame(schema['const'], value, walk)) return 'must be equal to constant'
  const { enum: values } = schema
  if (Array.isArray(values) && values.length > 0 && !values.some((one: JsonValue) => isSame(one, value, walk)))
    return 'must be equal to one of the allowed values'
  if (typeof value === 'number') return problemOfNumber(schema, value)
  if (typeof value === 'string') return problemOfText(schema, value, walk)
  if (Array.isArray(value)) return problemOfCount(schema, 'Items', value.length)
  return isJsonObject(value) ? problemOfObject(schema, value, walk) : undefined
}

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'])

/** `undefined` if they are missing or not types. */
function typesOf(type: JsonValue | undefined): readonly string[] | undefined {
  const names: readonly (JsonValue | undefined)[] = Array.isArray(type) ? type.slice(0, TYPES.size + 1) : [type]
  const known = names.filter((name): name is string => typeof name === 'string' && TYPES.has(name))
  return known.length === names.length && known.length > 0 ? known : undefined
}

function isOfType(value: JsonValue, type: string): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isJsonObject(value)
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}

function problemOfNumber(schema: JsonObject, value: number): string | undefined {
  const bounds = [
    ['minimum', '>=', (bound: number) => value >= bound],
    ['maximum', '<=', (bound: number) => value <= bound],
    ['exclusiveMinimum', '>', (bound: number) => value > bound],
    ['exclusiveMaximum', '<', (bound: number) => value < bound],
  ] as const
  for (const [keyword, sign, holds] of bounds) {
    const bound = schema[keyword]
    if (typeof bound === 'number' && !holds(bound)) return `must be ${sign} ${bound}`
  }
  return undefined
}

/** The characters are those of Unicode. */
function problemOfText(schema: JsonObject, value: string, walk: Walk): string | undefined {
  if (schema['minLength'] === undefined && schema['maxLength'] === undefined) return undefined
  walk.steps -= value.length
  if (walk.steps < 0) return undefined
  let count = 0
  for (const _ of value) count += 1
  return problemOfCount(schema, 'Length', count)
}

const COUNTED = { Length: 'characters', Items: 'items', Properties: 'properties' } as const

function problemOfCount(schema: JsonObject, unit: keyof typeof COUNTED, count: number): string | undefined {
  const [least, most] = [schema[`min${unit}`], schema[`max${unit}`]]
  if (isCount(least) && count < least) return `must NOT have fewer than ${least} ${COUNTED[unit]}`
  if (isCount(most) && count > most) return `must NOT have more than ${most} ${COUNTED[unit]}`
  return undefined
}

const isCount = (value: JsonValue | undefined): value is number => Number.isInteger(value) && Number(value) >= 0

function problemOfObject(schema: JsonObject, value: JsonObject, walk: Walk): string | undefined {
  const { minProperties, maxProperties, required } = schema
  if (minProperties !== undefined || maxProperties !== undefined) {
    const count = Object.keys(value).length
    walk.steps -= count
    const problem = problemOfCount(schema, 'Properties', count)
    if (problem !== undefined) return problem
  }
  if (!Array.isArray(required)) return undefined
  walk.steps -= required.length
  const names = required.filter((name): name is string => typeof name === 'string')
  const missing = names.find((name) => !Object.hasOwn(value, name))
  return missing === undefined ? undefined : `must have required property '${missing}'`
}

/** What is wrong with the elements of a list, or the properties of an object. */
function findInside(schema: JsonObject, value: JsonValue, walk: Walk): Found | undefined {
  if (Array.isArray(value)) {
    const { items, prefixItems } = schema
    if (items === undefined || Array.isArray(items) || prefixItems !== undefined) return undefined
    return findFirst(value.entries(), walk, (item) => findProblem(items, item, walk))
  }
  if (!isJsonObject(value)) return undefined
  const { properties, additionalProperties: others, patternProperties } = schema
  const known = isJsonObject(properties) ? properties : {}
  const isExact = others !== undefined && patternProperties === undefined
  const entries = Object.entries(value)
  walk.steps -= entries.length
  return findFirst(entries, walk, (inner, name) => {
    if (Object.hasOwn(known, name)) return findProblem(known[name] ?? true, inner, walk)
    if (!isExact) return undefined
    return others === false ? here('is not a property of this object') : findProblem(others ?? true, inner, walk)
  })
}

function findFirst<Name extends string | number>(
  entries: Iterable<readonly [Name, JsonValue]>,
  walk: Walk,
  find: (value: JsonValue, name: Name) => Found | undefined,
): Found | undefined {
  for (const [name, value] of entries) {
    if (--walk.steps < 0) return undefined
    const found = find(value, name)
    if (found) return { path: [name, ...found.path], problem: found.problem }
  }
  return undefined
}

function findInChoices(schema: JsonObject, value: JsonValue, walk: Walk): Found | undefined {
  const { allOf, anyOf } = schema
  for (const part of Array.isArray(allOf) ? allOf : []) {
    const found = findProblem(part as JsonValue, value, walk)
    if (found) return found
  }
  if (!Array.isArray(anyOf) || anyOf.length === 0) return undefined
  const matches = anyOf.some((choice: JsonValue) => findProblem(choice, value, walk) === undefined)
  return matches ? undefined : here('must match a schema in anyOf')
}

/** Equal for JSON Schema. What cannot be compared any more counts as equal. */
function isSame(one: JsonValue | undefined, other: JsonValue | undefined, walk: Walk): boolean {
  if (--walk.steps < 0) return true
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return false
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false
    return one.every((item: JsonValue, index) => isSame(item, other[index] as JsonValue, walk))
  }
  const names = Object.keys(one)
  if (names.length !== Object.keys(other).length) return false
  walk.steps -= names.length
  return names.every(
    (name) => Object.hasOwn(other, name) && isSame((one as JsonObject)[name], (other as JsonObject)[name], walk),
  )
}
