import type { JsonObject, JsonValue } from '@polylogue/engine'

const CHOICES = ['anyOf', 'oneOf', 'allOf']
/** What providers refuse at the top of a tool's parameters. */
const REFUSED_AT_THE_TOP = new Set([...CHOICES, 'enum', 'not', '$schema'])

/**
 * Parameters as every provider takes them: one object with properties. Of alternatives at the top the properties of all
 * remain, none of them required; the tool's own check still decides what fits.
 */
export function toObjectSchema(parameters: JsonObject): JsonObject {
  const branches = CHOICES.flatMap((choice) => listOf(parameters[choice]))
  const properties = new Map([...branches, parameters].flatMap((schema) => Object.entries(propertiesOf(schema))))
  const kept = Object.entries(parameters).filter(([key]) => !REFUSED_AT_THE_TOP.has(key))
  return { ...Object.fromEntries(kept), type: 'object', properties: Object.fromEntries(properties) }
}

function propertiesOf(schema: JsonValue): JsonObject {
  const properties = isObject(schema) ? schema['properties'] : undefined
  return isObject(properties) ? properties : {}
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isList(value) ? value : []
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value)
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
