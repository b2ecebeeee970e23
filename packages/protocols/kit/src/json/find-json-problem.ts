/**
 * Limits on a JSON text. A limit that is left out does not apply; the number of values, the keys of one object and the
 * length of a number are always limited.
 */
export interface JsonTextLimits {
  readonly depth?: number
  /** Keys of all objects together. */
  readonly keys?: number
  /** UTF-16 units of one key. */
  readonly keyLength?: number
  /** UTF-16 units of one string. */
  readonly stringLength?: number
  /** Strings that begin like this may have any length. The pattern must be sticky. */
  readonly bulk?: RegExp
}

export interface JsonProblem {
  readonly limit: 'depth' | 'keys' | 'objectKeys' | 'keyLength' | 'stringLength' | 'values' | 'number'
  /** For example `more than 10000 keys`. */
  readonly message: string
}

// A list of empty objects takes fifty times its own size once parsed: 32 MiB of them would exhaust the heap.
const MAX_VALUES = 500_000
// An object with more keys becomes a hash table, and each walk over it takes as long as parsing it did.
const MAX_OBJECT_KEYS = 10_000
// Seventeen digits and an exponent hold any double.
const MAX_NUMBER_LENGTH = 64

const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const SMALL_U = 0x75
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

const NUMBER = /[-+.\dEe]*/y
const EXPONENT = /[Ee]/

/**
 * Finds the first limit that a JSON text exceeds, in one pass and without recursion, before anything is parsed. A text
 * that is not JSON has no problem here: `JSON.parse` rejects it, and the scan stops where the parser would.
 */
export function findJsonProblem(text: string, limits: JsonTextLimits): JsonProblem | undefined {
  const { depth: maxDepth = Infinity, keys: maxKeys = Infinity, keyLength: maxKeyLength = Infinity } = limits
  let depth = 0
  // In valid JSON every scalar except an outermost one follows a sign that `values` or `keys` counts.
  let values = 0
  let keys = 0
  let scalars = 0
  /** Of the objects around this place, by their depth. */
  const objectKeys = [0]
  let lastStringLength = 0
  // A loop over the units is several times as fast as a pattern that finds the next sign.
  for (let at = 1; at <= text.length; at += 1) {
    const sign = text.charCodeAt(at - 1)
    switch (sign) {
      case COMMA:
        values += 1
        break
      case COLON:
        keys += 1
        if (keys > maxKeys) return problem('keys', `more than ${maxKeys} keys`)
        objectKeys[depth] = (objectKeys[depth] ?? 0) + 1
        if ((objectKeys[depth] ?? 0) > MAX_OBJECT_KEYS) {
          return problem('objectKeys', `more than ${MAX_OBJECT_KEYS} keys in one object`)
        }
        if (lastStringLength > maxKeyLength) {
          return problem('keyLength', `more than ${maxKeyLength} characters in a key`)
        }
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        depth += 1
        objectKeys[depth] = 0
        values += 1
        if (depth > maxDepth) return problem('depth', `nested deeper than ${maxDepth} levels`)
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth -= 1
        break
      case QUOTE: {
        const end = endOfString(text, at)
        lastStringLength = end - at - 1
        if (lastStringLength > (limits.stringLength ?? Infinity) && isTooLong(text, { start: at, end }, limits)) {
          return problem('stringLength', `a string longer than ${limits.stringLength} characters`)
        }
        scalars += 1
        at = end
        break
      }
      default: {
        if ((sign < ZERO || sign > NINE) && sign !== MINUS) continue
        const end = endOf(NUMBER, text, at)
        const numberProblem = findNumberProblem(text, at - 1, end)
        if (numberProblem !== undefined) return numberProblem
        scalars += 1
        at = end
      }
    }
    if (values > MAX_VALUES) return problem('values', `more than ${MAX_VALUES} values`)
    if (depth < 0 || scalars > values + keys + 1) return undefined
  }
  return undefined
}

const problem = (limit: JsonProblem['limit'], message: string): JsonProblem => ({ limit, message })

/** The index after the next match; 0 if there is none. */
function endOf(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start
  return pattern.test(text) ? pattern.lastIndex : 0
}

/** The index after the closing quote, as if an unfinished string ended with the text. */
function endOfString(text: string, start: number): number {
  const quote = text.indexOf('"', start)
  if (quote === -1) return text.length + 1
  if (text.charCodeAt(quote - 1) !== BACKSLASH) return quote + 1
  for (let at = start; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    if (sign === QUOTE) return at + 1
    if (sign === BACKSLASH) at += 1
  }
  return text.length + 1
}

function isTooLong(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
  { stringLength, bulk }: JsonTextLimits,
): boolean {
  if (stringLength === undefined) return false
  // A string with an escaped quote is not an image and not base64.
  if (bulk !== undefined && endOf(bulk, text, start) > 0 && text.indexOf('"', start) === end - 1) return false
  let length = 0
  for (let at = start; at < end - 1 && length <= stringLength; at++) {
    length += 1
    if (text.charCodeAt(at) === BACKSLASH) at += text.charCodeAt(at + 1) === SMALL_U ? 5 : 1
  }
  return length > stringLength
}

function findNumberProblem(text: string, start: number, end: number): JsonProblem | undefined {
  if (end - start > MAX_NUMBER_LENGTH) {
    return problem('number', `a number of more than ${MAX_NUMBER_LENGTH} characters`)
  }
  const digits = text.slice(start, end)
  // So few digits cannot leave the range of a double without an exponent.
  if (EXPONENT.test(digits) && Math.abs(Number(digits)) === Infinity) {
    return problem('number', 'a number too large for a double')
  }
  return undefined
}
