// A list of empty objects costs fifty times its own bytes once parsed: a frame of them would exhaust the heap.
const MAX_VALUES = 500_000
/** Of all objects together. */
const MAX_KEYS = 10_000
const MAX_KEY_LENGTH = 1024
// Seventeen digits and an exponent say everything that a double can hold.
const MAX_NUMBER_LENGTH = 64

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

const SIGN = /["\d,:[\]{}-]/g
const NUMBER = new RegExp(`[-+.\\dEe]{0,${MAX_NUMBER_LENGTH}}`, 'y')

/**
 * Why a text that claims to be JSON is not worth parsing. Looks at every character once, and no further than a parser
 * would: whether it is JSON is for that one to say. Texts may be as long as their frame.
 */
export function findShapeProblem(text: string, deepest: number): string | undefined {
  let depth = 0
  // In JSON each scalar but an outermost one follows a sign that one of the first two counts.
  let values = 0
  let keys = 0
  let scalars = 0
  let stringLength = 0
  for (let at = next(SIGN, text, 0); at > 0; at = next(SIGN, text, at)) {
    switch (text.charCodeAt(at - 1)) {
      case COMMA:
        values += 1
        break
      case COLON:
        keys += 1
        if (keys > MAX_KEYS) return `more than ${MAX_KEYS} keys`
        if (stringLength > MAX_KEY_LENGTH) return `more than ${MAX_KEY_LENGTH} characters in a key`
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        depth += 1
        values += 1
        if (depth > deepest) return `nested deeper than ${deepest} levels`
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth -= 1
        break
      case QUOTE: {
        const end = endOfString(text, at)
        stringLength = end - at - 1
        scalars += 1
        at = end
        break
      }
      default: {
        const end = next(NUMBER, text, at)
        if (end - at >= MAX_NUMBER_LENGTH) return `more than ${MAX_NUMBER_LENGTH} characters in a number`
        scalars += 1
        at = end
      }
    }
    if (values > MAX_VALUES) return `more than ${MAX_VALUES} values`
    if (depth < 0 || scalars > values + keys + 1) return undefined
  }
  return undefined
}

/** Behind what was found; 0 where there is nothing. */
function next(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start
  return pattern.test(text) ? pattern.lastIndex : 0
}

/** Behind the closing quote, or behind the last character. */
function endOfString(text: string, start: number): number {
  const quote = text.indexOf('"', start)
  if (quote === -1) return text.length
  if (text.charCodeAt(quote - 1) !== BACKSLASH) return quote + 1
  for (let at = start; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    if (sign === QUOTE) return at + 1
    if (sign === BACKSLASH) at += 1
  }
  return text.length
}
