import type { JsonObject, JsonValue } from '@polylogue/engine'
import { isObject } from '../is-object.ts'

/** Deeper input is not shown before it is complete. */
const DEEPEST = 64

/**
 * Reads the beginning of a JSON object: members that are complete, and the beginning of a string. `undefined`: the text is
 * not the beginning of an object.
 */
export function readPartialObject(text: string): JsonObject | undefined {
  const value = new PartialReader(text).value(0)
  return isObject(value) ? value : undefined
}

/** A recursive descent that stops at the end of the text instead of failing. */
class PartialReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** `undefined`: nothing of the value can be shown. */
  value(depth: number): JsonValue | undefined {
    this.#skipSpace()
    const next = this.#text[this.#at]
    if (depth > DEEPEST || next === undefined) return undefined
    if (next === '{') return this.#object(depth)
    if (next === '[') return this.#array(depth)
    if (next === '"') return this.#string()?.text
    return this.#literal()
  }

  get #isEnd(): boolean {
    return this.#at >= this.#text.length
  }

  #object(depth: number): JsonObject {
    const members: [string, JsonValue][] = []
    this.#at += 1
    for (;;) {
      this.#skipSpace()
      if (this.#take('}') || this.#text[this.#at] !== '"') break
      const key = this.#string()
      this.#skipSpace()
      if (key?.isComplete !== true || !this.#take(':')) break
      const value = this.value(depth + 1)
      if (value !== undefined) members.push([key.text, value])
      this.#skipSpace()
      if (!this.#take(',') && !this.#isNext('}')) break
    }
    return Object.fromEntries(members)
  }

  #array(depth: number): JsonValue[] {
    const items: JsonValue[] = []
    this.#at += 1
    for (;;) {
      this.#skipSpace()
      if (this.#isEnd || this.#take(']')) break
      const item = this.value(depth + 1)
      if (item === undefined) break
      items.push(item)
      this.#skipSpace()
      if (!this.#take(',') && !this.#isNext(']')) break
    }
    return items
  }

  #string(): { readonly text: string; readonly isComplete: boolean } | undefined {
    const start = this.#at
    let end = start + 1
    while (end < this.#text.length && this.#text[end] !== '"') end += this.#text[end] === '\\' ? 2 : 1
    const isComplete = end < this.#text.length
    this.#at = isComplete ? end + 1 : this.#text.length
    const body = this.#text.slice(start + 1, isComplete ? end : undefined)
    const text = parse(`"${isComplete ? body : withoutHalfEscape(body)}"`)
    return typeof text === 'string' ? { text, isComplete } : undefined
  }

  #literal(): JsonValue | undefined {
    const [word = ''] = /^[-+.\w]+/.exec(this.#text.slice(this.#at, this.#at + 64)) ?? []
    this.#at += Math.max(1, word.length)
    // A number at the end of the text may be incomplete.
    return this.#isEnd && /^[-\d]/.test(word) ? undefined : parse(word)
  }

  #take(sign: string): boolean {
    const isNext = this.#isNext(sign)
    if (isNext) this.#at += 1
    return isNext
  }

  #isNext(sign: string): boolean {
    return this.#text[this.#at] === sign
  }

  #skipSpace(): void {
    while (/^\s$/.test(this.#text[this.#at] ?? '')) this.#at += 1
  }
}

/** Cuts an escape sequence or a surrogate pair that has only begun. */
const withoutHalfEscape = (body: string): string =>
  body
    .replace(/(^|[^\\])((?:\\\\)*)\\(?:u[\da-fA-F]{0,3})?$/, '$1$2')
    .replace(/(?:\\u[dD][89abAB][\da-fA-F]{2}|[\ud800-\udbff])$/, '')

function parse(json: string): JsonValue | undefined {
  try {
    return JSON.parse(json) as JsonValue
  } catch {
    return undefined
  }
}
