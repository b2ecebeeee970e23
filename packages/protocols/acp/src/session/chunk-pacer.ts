import type { SessionUpdate } from '@agentclientprotocol/sdk'
import type { Clock, Timer } from '@polylogue/engine'
import { chunk } from '../projection/chunk.ts'

/** How long text waits for more text. Invisible to a reader, and it saves the client most frames. */
const CHUNK_MS = 16

interface Pending {
  readonly kind: 'agent_message_chunk' | 'agent_thought_chunk'
  readonly messageId: string
  text: string
}

/** Joins pieces of text. The first piece is sent at once, later ones at most 16 ms late. */
export class ChunkPacer {
  readonly #clock: Clock
  readonly #write: (update: SessionUpdate) => void
  #pending: Pending | undefined
  #timer: Timer | undefined

  constructor(clock: Clock, write: (update: SessionUpdate) => void) {
    this.#clock = clock
    this.#write = write
  }

  push(update: SessionUpdate): void {
    const piece = toPending(update)
    if (piece === undefined) {
      this.flush()
      return this.#write(update)
    }
    const pending = this.#pending
    if (pending?.kind === piece.kind && pending.messageId === piece.messageId) pending.text += piece.text
    else {
      this.flush()
      this.#pending = piece
    }
    if (this.#timer === undefined) this.#sendAndWait()
  }

  /** Sends the waiting text now, so that the next update comes after it. */
  flush(): void {
    this.#send()
  }

  stop(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#pending = undefined
  }

  #sendAndWait(): void {
    this.#timer = undefined
    if (this.#pending === undefined) return
    // Some clients cannot read half of a surrogate pair.
    const half = /[\ud800-\udbff]$/.exec(this.#pending.text)?.[0] ?? ''
    const { kind, messageId, text } = this.#pending
    this.#pending.text = text.slice(0, text.length - half.length)
    this.#send()
    if (half !== '') this.#pending = { kind, messageId, text: half }
    this.#timer = this.#clock.setTimer(CHUNK_MS, () => this.#sendAndWait())
  }

  #send(): void {
    const pending = this.#pending
    this.#pending = undefined
    if (pending !== undefined && pending.text !== '') this.#write(chunk(pending.kind, pending.messageId, pending.text))
  }
}

function toPending(update: SessionUpdate): Pending | undefined {
  if (update.sessionUpdate !== 'agent_message_chunk' && update.sessionUpdate !== 'agent_thought_chunk') return undefined
  const { content, messageId } = update
  if (content.type !== 'text' || typeof messageId !== 'string') return undefined
  return { kind: update.sessionUpdate, messageId, text: content.text }
}
