import type { JsonValue } from '@polylogue/engine'
import { WireError } from './errors.ts'

// A list of empty objects costs fifty times its own bytes once parsed: 32 MiB of them would exhaust the heap.
const MAX_JSON_VALUES = 500_000

/**
 * Parses a body whose nesting and number of values were counted first, without recursion: `JSON.parse` takes any
 * depth, and what is too deep fails much later, wherever it is written out again.
 */
export function parseJsonBody(bytes: Uint8Array, maxDepth: number): JsonValue {
  if (bytes.length === 0) throw new WireError(400, 'body: expected JSON, received nothing')
  const text = decodeUtf8(bytes)
  checkShape(text, maxDepth)
  try {
    return JSON.parse(text) as JsonValue
  } catch (error) {
    if (error instanceof SyntaxError) throw new WireError(400, 'body: not valid JSON')
    throw error
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) throw new WireError(400, 'body: not valid UTF-8')
    throw error
  }
}

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

function checkShape(text: string, maxDepth: number): void {
  let depth = 0
  let values = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at)
        break
      case COMMA:
        values += 1
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        depth += 1
        values += 1
        if (depth > maxDepth) throw new WireError(400, `body: nested deeper than ${maxDepth} levels`)
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth -= 1
        break
    }
    if (values > MAX_JSON_VALUES) throw new WireError(400, `body: more than ${MAX_JSON_VALUES} values`)
  }
}

/** `indexOf` makes a long string (an image) cost next to nothing. */
function endOfString(text: string, start: number): number {
  for (let from = start + 1; ;) {
    const quote = text.indexOf('"', from)
    if (quote === -1) return text.length
    let backslashes = 0
    while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes += 1
    if (backslashes % 2 === 0) return quote
    from = quote + 1
  }
}
