import type { Json } from '../../wire.ts'

type Schema = { readonly [name: string]: Json }

/** Something small that a JSON Schema without references takes; what is optional is left out unless `isFull`. */
export function sampleOf(schema: Json, { isFull = false } = {}): Json {
  if (!isSchema(schema)) return 'x'
  const { enum: choices, properties, required, items, type, minimum, examples } = schema
  if (Array.isArray(examples)) return (examples as readonly Json[])[0] ?? null
  if (schema['const'] !== undefined) return schema['const']
  if (schema['format'] === 'date-time') return '2026-01-01T09:00:00Z'
  if (Array.isArray(choices)) return (choices as readonly Json[])[0] ?? null
  if (isSchema(properties)) {
    const must = Array.isArray(required) ? (required as readonly Json[]) : []
    const wanted = Object.entries(properties).filter(([name]) => isFull || must.includes(name))
    return Object.fromEntries(wanted.map(([name, field]) => [name, sampleOf(field, { isFull })]))
  }
  if (type === 'array') return [sampleOf(items ?? {})]
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') return typeof minimum === 'number' ? Math.max(minimum, 1) : 1
  if (type === 'object') return {}
  return 'x'
}

const isSchema = (value: Json | undefined): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
