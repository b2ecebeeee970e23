import type { JsonObject, JsonValue } from '@polylogue/engine'

const CHOICES = ['anyOf', 'oneOf', 'allOf']
/** Keywords that providers reject at the top level of tool parameters. */
const REFUSED_AT_THE_TOP = new Set([...CHOICES, 'enum', 'not', '$schema'])

/**
 * Tool parameters in the shape every provider accepts: one object with properties. Top-level alternatives are merged and
 * none of their properties stays required; the tool still validates its input.
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
