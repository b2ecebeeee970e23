/** A piece of JSON text, or of something that only looks like it, put into a document as it is. */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export const raw = (text: string): RawJson => new RawJson(text)

/** Like `JSON.stringify`, but with raw pieces, own `__proto__` keys and `-0` as they are. */
export function writeJson(value: unknown): string {
  if (value instanceof RawJson) return value.text
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([key, item]) => `${JSON.stringify(key)}:${writeJson(item)}`)
      .join(',')}}`
  }
  return Object.is(value, -0) ? '-0' : JSON.stringify(value)
}

export type JsonPath = readonly (string | number)[]

/** Of every value in a document, its root included. */
export function pathsOf(value: unknown, path: JsonPath = []): readonly JsonPath[] {
  if (typeof value !== 'object' || value === null || value instanceof RawJson) return [path]
  const items: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((item: unknown, index) => [index, item] as const)
    : Object.entries(value)
  return [path, ...items.flatMap(([key, item]) => pathsOf(item, [...path, key]))]
}

/** Leaves the value out of its object or list. */
export const DROPPED = Symbol('dropped')

/** The same document with another value at this path. */
export function replaceAt(value: unknown, [key, ...rest]: JsonPath, change: (old: unknown) => unknown): unknown {
  if (key === undefined) return change(value)
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => {
      const next = index === key ? replaceAt(item, rest, change) : item
      return next === DROPPED ? [] : [next]
    })
  }
  if (typeof value !== 'object' || value === null || value instanceof RawJson) return value
  const entries = Object.entries(value).map(([name, item]) => [
    name,
    name === key ? replaceAt(item, rest, change) : (item as unknown),
  ])
  return Object.fromEntries(entries.filter(([, item]) => item !== DROPPED))
}
