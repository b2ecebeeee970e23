import { MOST_KEYS, MOST_VALUES } from './mcp-limits.ts'

/** Counts what parsing a message would create, before it is parsed. */
export interface JsonCount {
  /** The next bytes of the message. Throws if there are too many values or keys. */
  push(chunk: Uint8Array): void
  /** The next bytes begin another message. */
  restart(): void
}

const NEW_LINE = 0x0a
const RETURN = 0x0d
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const OPEN_OBJECT = 0x7b

export function createJsonCount(): JsonCount {
  let values = 0
  let keys = 0
  let isString = false
  let isEscaped = false
  return {
    push(chunk) {
      for (const byte of chunk) {
        // No string of JSON has a line break. In a stream of events, one ends a field.
        if (byte === NEW_LINE || byte === RETURN) isString = isEscaped = false
        else if (isEscaped) isEscaped = false
        else if (byte === QUOTE) isString = !isString
        else if (isString) isEscaped = byte === BACKSLASH
        else if (byte === COMMA || byte === OPEN_LIST || byte === OPEN_OBJECT) {
          values += 1
          if (values > MOST_VALUES) throw new Error(`it sent a message with more than ${MOST_VALUES} values`)
        } else if (byte === COLON) {
          keys += 1
          if (keys > MOST_KEYS) throw new Error(`it sent a message with more than ${MOST_KEYS} keys`)
        }
      }
    },
    restart() {
      values = 0
      keys = 0
      isString = isEscaped = false
    },
  }
}
