// A server's schema is untrusted, and a hostile schema can run forever: through patterns, exponential references or
// recursion. So we check a model's input against a weaker schema with only the keywords below. Every input that matches
// the server's schema matches it. The server checks the rest itself.
import type { JsonObject, JsonValue } from '@polylogue/engine'
import { isJsonObject } from '../split-meta.ts'

const BOUNDS = new Set(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'])
const COUNTS = new Set(['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'])
const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'])

/** The caller has limited its depth. */
export function toCheckSchema(schema: JsonValue): JsonObject | boolean {
  if (typeof schema === 'boolean') return schema
  if (!isJsonObject(schema)) return true
  const kept: [string, JsonValue][] = []
  for (const [keyword, value] of Object.entries(schema)) {
    const weaker = weaken(keyword, value, schema)
    if (weaker !== undefined) kept.push([keyword, weaker])
  }
  return Object.fromEntries(kept)
}

function weaken(keyword: string, value: JsonValue, schema: JsonObject): JsonValue | undefined {
  if (BOUNDS.has(keyword)) return typeof value === 'number' ? value : undefined
  if (COUNTS.has(keyword)) return Number.isInteger(value) && Number(value) >= 0 ? value : undefined
  switch (keyword) {
    case 'type':
      return isType(value) ? value : undefined
    case 'const':
      return value
    case 'enum':
      return Array.isArray(value) && value.length > 0 ? value : undefined
    case 'required':
      return Array.isArray(value) && value.every((name) => typeof name === 'string') ? [...new Set(value)] : undefined
    case 'properties':
      if (!isJsonObject(value)) return undefined
      return Object.fromEntries(
        Object.entries(value)
          .filter(([name]) => name !== '__proto__')
          .map(([name, inner]) => [name, toCheckSchema(inner)]),
      )
    case 'additionalProperties':
      return schema['patternProperties'] === undefined ? toCheckSchema(value) : undefined
    case 'items':
      return Array.isArray(value) || schema['prefixItems'] !== undefined ? undefined : toCheckSchema(value)
    case 'anyOf':
    case 'allOf':
      return Array.isArray(value) && value.length > 0 ? value.map(toCheckSchema) : undefined
    default:
      return undefined
  }
}

function isType(value: JsonValue): boolean {
  const names: readonly JsonValue[] = Array.isArray(value) ? [...new Set(value)] : [value]
  if (Array.isArray(value) && (names.length === 0 || names.length !== value.length)) return false
  return names.every((name) => typeof name === 'string' && TYPES.has(name))
}
