import { Decoder, Encoder } from 'socket.io-parser'
import type { PayloadLimits } from './deps.ts'

// A list of empty objects costs fifty times its own bytes once parsed: a frame of them would exhaust the heap. As many as
// over HTTP; what is far less and still too much is refused in words.
const MAX_VALUES = 500_000
/** Of type, attachments, namespace and number of a packet. A namespace may hold every sign but a comma. */
const LONGEST_HEAD = 512
const HEAD = /^(?:[56][^-]{1,32}-|[^56])(?:\/[^,]*,?)?[\d\s]*/
/** `5` or `6`: packets whose decoder calls itself for each level, to find where their bytes belong. */
const WITH_BYTES = /^[56]/

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** The parser of a Socket.IO server that looks at packets before it takes them apart. One that throws ends its connection. */
export function createBoundedParser({ depth }: Pick<PayloadLimits, 'depth'>) {
  class BoundedDecoder extends Decoder {
    override add(packet: unknown): void {
      // The arguments of an event are a list.
      if (typeof packet === 'string') checkPacket(packet, WITH_BYTES.test(packet) ? depth + 1 : Infinity)
      super.add(packet)
    }
  }
  return { Encoder, Decoder: BoundedDecoder }
}

const SIGN = /["[\]{},:]/g

/** Looks at every character once, and no further than a parser of JSON would. */
function checkPacket(text: string, deepest: number): void {
  let depth = 0
  let values = 0
  let strings = 0
  const head = HEAD.exec(text.slice(0, LONGEST_HEAD + 1))?.[0].length ?? Infinity
  if (head > LONGEST_HEAD) throw new Error('a packet whose head is too long')
  for (let at = next(text, head); at > 0; at = next(text, at)) {
    switch (text[at - 1]) {
      case '[':
      case '{':
        depth += 1
        values += 1
        if (depth > deepest) throw new Error(`a packet that is nested deeper than ${deepest} levels`)
        break
      case ']':
      case '}':
        depth -= 1
        break
      case '"':
        at = endOfString(text, at)
        strings += 1
        break
      default:
        values += 1
    }
    if (values > MAX_VALUES) throw new Error(`a packet with more than ${MAX_VALUES} values`)
    if (depth < 0 || strings > values + 1) return
  }
}

/** Behind the next sign; 0 where there is none. */
function next(text: string, start: number): number {
  SIGN.lastIndex = start
  return SIGN.test(text) ? SIGN.lastIndex : 0
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
