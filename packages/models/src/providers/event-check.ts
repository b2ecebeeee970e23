import { ValueCount } from './value-count.ts'

/** In one event. The SDKs look at each with a schema. */
const MOST_VALUES = 200_000
const NEW_LINE = 0x0a
const RETURN = 0x0d

/** Looks at a stream of events before an SDK reads it. */
export interface EventCheck {
  /** What to read instead of the chunk; `undefined` if an event has too many values. */
  push(chunk: Uint8Array): Uint8Array | undefined
}

/** Every line end becomes a line feed: the parser of the SDKs takes quadratic time for carriage returns. */
export function createEventCheck(): EventCheck {
  const count = new ValueCount()
  let isBlank = true
  let isAfterReturn = false
  return {
    push(chunk) {
      const read = new Uint8Array(chunk.length)
      let length = 0
      for (const byte of chunk) {
        const isSecondHalf = byte === NEW_LINE && isAfterReturn
        isAfterReturn = byte === RETURN
        if (isSecondHalf) continue
        if (byte === NEW_LINE || byte === RETURN) {
          if (isBlank) count.restart()
          else count.endLine()
          isBlank = true
          read[length] = NEW_LINE
        } else {
          count.push(byte)
          isBlank = false
          read[length] = byte
        }
        length += 1
        if (count.values > MOST_VALUES) return undefined
      }
      return read.subarray(0, length)
    },
  }
}
