import { findJsonProblem, type JsonLimits } from '@polylogue/kit'
import { Decoder, Encoder, type Packet } from 'socket.io-parser'

/** The longest head of a packet: type, attachments, namespace and number. A namespace has no comma. */
const MAX_HEAD_LENGTH = 512
const HEAD = /^(?:[56][^-]{1,32}-|[^56])(?:\/[^,]*,?)?[\d\s]*/
/** Type `5` or `6`. Socket.IO decodes such packets recursively. */
const WITH_BYTES = /^[56]/
/** Base64 of an image or a file. */
const BULK = /data:|[A-Za-z0-9+/]{256}/y

const problems = new WeakMap<object, string>()

/** The limit that a payload exceeds. The sender gets an error. Only harmful packets close the connection. */
export function findPayloadProblem(payload: unknown): string | undefined {
  return typeof payload === 'object' && payload !== null ? problems.get(payload) : undefined
}

const MOST_SIGNS = 500_000

/** Also counts signs inside strings, so it may refuse too much but never too little. */
function refuseMany(text: string, hasBytes: boolean): void {
  if (hasBytes) throw new Error('a packet with bytes and a number that cannot be read')
  const signs = /[[{,]/g
  let count = 0
  while (signs.test(text)) if (++count > MOST_SIGNS) throw new Error(`a packet with more than ${MOST_SIGNS} values`)
}

interface BoundedParser {
  readonly Encoder: typeof Encoder
  readonly Decoder: typeof Decoder
}

/** A Socket.IO parser that checks packets before it parses them. When it throws, Socket.IO closes the connection. */
export function createBoundedParser(limits: JsonLimits): BoundedParser {
  // The arguments of an event are a list.
  const depth = limits.depth + 1
  class BoundedDecoder extends Decoder {
    #problem: string | undefined

    constructor() {
      super()
      this.on('decoded', (packet: Packet) => this.#mark(packet))
    }

    override add(packet: unknown): void {
      if (typeof packet === 'string') this.#problem = this.#check(packet)
      super.add(packet)
    }

    #check(packet: string): string | undefined {
      const head = HEAD.exec(packet.slice(0, MAX_HEAD_LENGTH + 1))?.[0].length ?? Infinity
      if (head > MAX_HEAD_LENGTH) throw new Error('a packet whose head is too long')
      const text = packet.slice(head)
      const problem = findJsonProblem(text, { ...limits, depth, bulk: BULK })
      if (problem === undefined) return undefined
      const fatal = findJsonProblem(text, WITH_BYTES.test(packet) ? { depth } : {})
      // The scan stops at a bad number and at an object with too many keys. The rest of the packet is not checked.
      if (fatal?.limit === 'number' || fatal?.limit === 'objectKeys') refuseMany(text, WITH_BYTES.test(packet))
      else if (fatal !== undefined) throw new Error(`a packet with ${fatal.message}`)
      return problem.message
    }

    #mark({ data }: Packet): void {
      const problem = this.#problem
      this.#problem = undefined
      if (problem === undefined || !Array.isArray(data)) return
      for (const argument of data as unknown[]) {
        if (typeof argument === 'object' && argument !== null) problems.set(argument, problem)
      }
    }
  }
  return { Encoder, Decoder: BoundedDecoder }
}
