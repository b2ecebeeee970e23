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

const QUOTE = 0x22
const PLUS = 0x2b
const COMMA = 0x2c
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const LARGE_E = 0x45
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const SMALL_E = 0x65
const SMALL_U = 0x75
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** 1 for every byte that means something outside of strings, so that the others cost next to nothing. */
const MEANING = new Uint8Array(256)
for (const sign of '",:[]{}-0123456789') MEANING[sign.charCodeAt(0)] = 1

/**
 * Looks at valid UTF-8 that claims to be JSON, byte by byte and only once: what it costs depends on how many bytes
 * there are, and not on which. Whether it is JSON is for the parser to say.
 */
export function checkJsonShape(bytes: Buffer, limits: JsonLimits): void {
  let depth = 0
  // In JSON each scalar but an outermost one follows a sign that one of the first two counts.
  let values = 0
  let keys = 0
  let scalars = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (MEANING[byte] === 0) continue
    switch (byte) {
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
        if (depth < 0) throw new WireError(400, 'body: not valid JSON')
        break
      default:
        scalars += 1
        if (scalars > values + keys + 1) throw new WireError(400, 'body: not valid JSON')
        at = byte === QUOTE ? endOfString(bytes, at, limits) : endOfNumber(bytes, at) - 1
    }
    if (values > MAX_JSON_VALUES) throw new WireError(400, `body: more than ${MAX_JSON_VALUES} values`)
  }
}

/** Where the closing quote is; behind the last byte where there is none. */
function endOfString(bytes: Buffer, start: number, { stringLength }: JsonLimits): number {
  const imageEnd = isImage(bytes, start + 1) ? bytes.indexOf(QUOTE, start + 1) : -1
  // A quote within an image would make it no image.
  if (imageEnd !== -1 && bytes[imageEnd - 1] !== BACKSLASH) return imageEnd
  let length = 0
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte === QUOTE) return at
    length += unitsOf(byte)
    if (byte === BACKSLASH) at += bytes[at + 1] === SMALL_U ? 5 : 1
    if (length > stringLength) throw new WireError(400, `body: a string longer than ${stringLength} characters`)
  }
  return bytes.length
}

/** How many UTF-16 units begin with this byte of UTF-8. */
function unitsOf(byte: number): number {
  if (byte < 0x80) return 1
  if (byte < 0xc0) return 0
  return byte < 0xf0 ? 1 : 2
}

const IMAGE_PREFIX = Buffer.from('data:image')

function isImage(bytes: Buffer, start: number): boolean {
  return bytes.subarray(start, start + IMAGE_PREFIX.length).equals(IMAGE_PREFIX)
}

/** Behind its last byte. */
function endOfNumber(bytes: Buffer, start: number): number {
  let end = start
  let hasExponent = false
  for (let byte = bytes[end]; isPartOfNumber(byte); byte = bytes[end]) {
    hasExponent ||= byte === SMALL_E || byte === LARGE_E
    end += 1
  }
  if (end - start > MAX_NUMBER_LENGTH) {
    throw new WireError(400, `body: a number of more than ${MAX_NUMBER_LENGTH} characters`)
  }
  // So few digits cannot leave the range of a double by themselves.
  if (hasExponent && Math.abs(Number(bytes.toString('latin1', start, end))) === Infinity) {
    throw new WireError(400, 'body: a number too large for a double')
  }
  return end
}

/** `+-.0123456789Ee` */
function isPartOfNumber(byte: number | undefined): byte is number {
  if (byte === undefined) return false
  if (byte >= ZERO && byte <= NINE) return true
  return byte === PLUS || byte === MINUS || byte === POINT || byte === SMALL_E || byte === LARGE_E
}
