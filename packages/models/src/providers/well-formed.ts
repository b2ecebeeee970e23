import type { JsonObject, JsonValue } from '@polylogue/engine'

/** Providers reject a lone surrogate (text cut inside a pair) as invalid JSON. */
export function toWellFormed(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(toWellFormed)
  return typeof value === 'object' && value !== null ? toWellFormedObject(value as JsonObject) : value
}

export function toWellFormedObject(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), toWellFormed(item)]))
}
