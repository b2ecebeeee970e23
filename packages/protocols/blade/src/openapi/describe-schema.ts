import type { Json } from '../wire.ts'

/** Shows a JSON Schema as a TypeScript-like type. Names refer to other schemas. */
export function describeSchema(schema: Json, indent = ''): string {
  if (!isObject(schema)) return 'any'
  const { $ref, anyOf, enum: choices, type, properties, items, additionalProperties } = schema
  const { const: only } = schema
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1)
  if (isList(anyOf)) return anyOf.map((choice) => describeSchema(choice, indent)).join(' | ')
  if (isList(choices)) return choices.map((choice) => JSON.stringify(choice)).join(' | ')
  if (only !== undefined) return JSON.stringify(only)
  if (isObject(properties)) return describeFields(properties, schema['required'], indent)
  if (isObject(additionalProperties)) return `{ [name]: ${describeSchema(additionalProperties, indent)} }`
  if (items !== undefined) return `${grouped(describeSchema(items, indent))}[]`
  if (isList(type)) return type.filter((name) => typeof name === 'string').join(' | ')
  return typeof type === 'string' ? `${type}${describeBounds(schema)}` : 'any'
}

function describeFields(
  properties: { readonly [name: string]: Json },
  required: Json | undefined,
  indent: string,
): string {
  const inner = `${indent}  `
  const must = isList(required) ? required : []
  const lines = Object.entries(properties).map(([name, field]) => {
    const usual = isObject(field) && field['default'] !== undefined ? ` = ${JSON.stringify(field['default'])}` : ''
    const says = isObject(field) && typeof field['description'] === 'string' ? `  // ${field['description']}` : ''
    return `${inner}${name}${must.includes(name) ? '' : '?'}: ${describeSchema(field, inner)}${usual}${says}`
  })
  return lines.length === 0 ? '{}' : `{\n${lines.join('\n')}\n${indent}}`
}

function describeBounds({ minLength, maxLength, minimum, maximum, format }: { readonly [name: string]: Json }): string {
  if (typeof format === 'string') return ` (${format})`
  const [least, most] = [minLength ?? minimum, maxLength ?? maximum]
  const isBounded = typeof most === 'number' && most < Number.MAX_SAFE_INTEGER
  if (typeof least === 'number' && least >= 0 && isBounded) return ` (${least} to ${most})`
  return isBounded ? ` (up to ${most})` : ''
}

const grouped = (text: string): string => (text.includes(' | ') ? `(${text})` : text)

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)

function isObject(value: Json | undefined): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
