import type { JsonValue } from '@polylogue/engine'
import { WireError } from './errors.ts'

export interface JsonLimits {
  readonly depth: number
  /** Of all objects together. */
  readonly keys: number
  /** UTF-16 units of one string, images in `data:` form excepted: those are as long as the body may be. */
  readonly stringLength: number
}

// A list of empty objects costs fifty times its own bytes once parsed: 32 MiB of them would exhaust the heap.
const MAX_JSON_VALUES = 500_000
// Seventeen digits and an exponent say everything that a double can hold.
const MAX_NUMBER_LENGTH = 64

/**
 * Parses a body whose shape was looked at first, without recursion: `JSON.parse` takes any depth, and what is too deep
 * fails much later, wherever it is written out again; a number beyond all doubles would come back as `null`.
 */
export function parseJsonBody(bytes: Uint8Array, limits: JsonLimits): JsonValue {
  if (bytes.length === 0) throw new WireError(400, 'body: expected JSON, received nothing')
  const text = decodeUtf8(bytes)
  checkShape(text, limits)
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
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

function checkShape(text: string, limits: JsonLimits): void {
  let depth = 0
  let values = 0
  let keys = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    switch (code) {
      case QUOTE: {
        const end = endOfString(text, at)
        if (end - at - 1 > limits.stringLength) checkLongString(text, at, end, limits)
        at = end
        break
      }
      case COMMA:
        values += 1
        break
      case COLON:
        keys += 1
        if (keys > limits.keys) throw new WireError(400, `body: more than ${limits.keys} keys`)
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        depth += 1
        values += 1
        if (depth > limits.depth) throw new WireError(400, `body: nested deeper than ${limits.depth} levels`)
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth -= 1
        break
      default:
        if (code === MINUS || (code >= ZERO && code <= NINE)) at = endOfNumber(text, at) - 1
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

const ESCAPE = /\\(?:u[0-9A-Fa-f]{4}|.)/gs

/** Escapes make a string longer on the wire than it is. */
function checkLongString(text: string, start: number, end: number, { stringLength }: JsonLimits): void {
  if (text.startsWith('data:image', start + 1)) return
  const length = text.slice(start + 1, end).replace(ESCAPE, '.').length
  if (length > stringLength) throw new WireError(400, `body: a string longer than ${stringLength} characters`)
}

const NUMBER = /[-+.0-9eE]*/y

function endOfNumber(text: string, start: number): number {
  NUMBER.lastIndex = start
  const [token = ''] = NUMBER.exec(text) ?? []
  if (token.length > MAX_NUMBER_LENGTH) {
    throw new WireError(400, `body: a number of more than ${MAX_NUMBER_LENGTH} characters`)
  }
  if (Math.abs(Number(token)) === Infinity) throw new WireError(400, 'body: a number too large for a double')
  return start + token.length
}
