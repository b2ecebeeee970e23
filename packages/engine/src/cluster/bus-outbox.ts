import type { BusMessage } from '../ports/live-bus.ts'
import type { Clock, Timer } from '../ports/clock.ts'
import { encodeBusMessage, encodeBusMessages } from './bus-codec.ts'

export interface BusOutboxOptions {
  readonly clock: Clock
  /** The sender of all messages. */
  readonly nodeId: string
  /** The largest text that the transport takes at once, in UTF-8 bytes. */
  readonly maxBytes: number
  /** Hands a text to the transport. Resolves when the next one may follow. Never rejects. */
  deliver(to: string, text: string): Promise<void>
}

/** Messages wait at most this long for others to share a text with them. */
const GATHER_MS = 20
const ENVELOPE_BYTES = 64
/** The numbers of a piece, and both halves of a character at its ends, which are escaped. */
const PIECE_BYTES = 64
/** UTF-8 needs at most this many bytes for a UTF-16 unit; a quote inside a piece needs two. */
const BYTES_PER_UNIT = 3
/** Beyond this, live messages are dropped: their readers ask again. Other messages are small and few. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024

interface Waiting {
  readonly json: string
  readonly bytes: number
}

/**
 * Gathers the messages for each node into texts: the first one goes at once, the next ones together.
 */
export class BusOutbox {
  readonly #options: BusOutboxOptions
  readonly #waiting = new Map<string, Waiting[]>()
  readonly #maxUnits: number
  #bytes = 0
  #pieces = 0
  #timer: Timer | undefined
  #isDelivering = false
  #isClosed = false

  constructor(options: BusOutboxOptions) {
    this.#options = options
    this.#maxUnits = Math.floor((options.maxBytes - ENVELOPE_BYTES - PIECE_BYTES) / BYTES_PER_UNIT)
  }

  add(to: string, message: BusMessage): void {
    if (this.#isClosed) return
    if (message.type === 'live' && this.#bytes > MOST_WAITING_BYTES) return
    const texts = encodeBusMessage(message, { id: () => String(++this.#pieces), maxUnits: this.#maxUnits })
    const added = texts.map((json) => ({ json, bytes: utf8Length(json) }))
    this.#waiting.set(to, [...(this.#waiting.get(to) ?? []), ...added])
    for (const { bytes } of added) this.#bytes += bytes
    if (this.#isDelivering) return
    // A person waits for the effect of a command, and for the first word.
    if (message.type !== 'live' || this.#timer === undefined) void this.#flush()
  }

  close(): void {
    this.#isClosed = true
    this.#timer?.cancel()
    this.#waiting.clear()
  }

  async #flush(): Promise<void> {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#isDelivering = true
    // What is added in this tick shares the text.
    await Promise.resolve()
    for (let next = this.#take(); next !== undefined && !this.#isClosed; next = this.#take()) {
      await this.#options.deliver(next.to, next.text)
    }
    this.#isDelivering = false
    if (this.#isClosed) return
    this.#timer = this.#options.clock.setTimer(GATHER_MS, () => {
      this.#timer = undefined
      if (this.#waiting.size > 0) void this.#flush()
    })
  }

  #take(): { readonly to: string; readonly text: string } | undefined {
    const [first] = this.#waiting
    if (first === undefined) return undefined
    const [to, queue] = first
    const { maxBytes, nodeId } = this.#options
    let total = ENVELOPE_BYTES
    let count = 0
    for (const { bytes } of queue) {
      if (count > 0 && total + bytes + 1 > maxBytes) break
      total += bytes + 1
      count += 1
    }
    const taken = queue.splice(0, count)
    // Moved to the end, so that one node does not hold up the others.
    this.#waiting.delete(to)
    if (queue.length > 0) this.#waiting.set(to, queue)
    for (const { bytes } of taken) this.#bytes -= bytes
    return {
      to,
      text: encodeBusMessages(
        nodeId,
        taken.map(({ json }) => json),
      ),
    }
  }
}

function utf8Length(text: string): number {
  let bytes = text.length
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code > 0x7f) bytes += code > 0x7ff ? 2 : 1
  }
  return bytes
}
