import { findJsonProblem, type JsonLimits } from '@polylogue/kit'
import { Decoder, Encoder, type Packet } from 'socket.io-parser'

/** The longest type, attachments, namespace and number of a packet. A namespace may hold every sign but a comma. */
const MAX_HEAD_LENGTH = 512
const HEAD = /^(?:[56][^-]{1,32}-|[^56])(?:\/[^,]*,?)?[\d\s]*/
/** `5` or `6`: the decoder of such a packet calls itself for each level, to find where its bytes belong. */
const WITH_BYTES = /^[56]/
/** Base64 of an image or a file. */
const BULK = /data:|[A-Za-z0-9+/]{256}/y

const problems = new WeakMap<object, string>()

/** The limit that a payload exceeds. Its sender is told so; only packets that would harm the server end their connection. */
export function findPayloadProblem(payload: unknown): string | undefined {
  return typeof payload === 'object' && payload !== null ? problems.get(payload) : undefined
}

const MOST_SIGNS = 500_000

/** Counts signs in strings too, so that it refuses rather too much. */
function refuseMany(text: string, hasBytes: boolean): void {
  if (hasBytes) throw new Error('a packet with bytes and a number that cannot be read')
  const signs = /[[{,]/g
  let count = 0
  while (signs.test(text)) if (++count > MOST_SIGNS) throw new Error(`a packet with more than ${MOST_SIGNS} values`)
}

/** The parser of a Socket.IO server that checks packets before it parses them. One that throws ends its connection. */
export function createBoundedParser(limits: JsonLimits) {
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
      // The scan ends at a bad number, and what follows may be worse.
      if (fatal?.limit === 'number') refuseMany(text, WITH_BYTES.test(packet))
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
