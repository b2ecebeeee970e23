import type { ServerResponse } from 'node:http'
import type { Clock } from '@polylogue/engine'

export interface DocumentStreamOptions {
  readonly clock: Clock
  readonly status: 200 | 201
  /** How long the client may take nothing before its connection is cut. */
  readonly patienceMs: number
  /** The headers leave after this time at the latest, and white space after each further one. */
  readonly firstByteMs: number
}

/** Larger documents are streamed. */
const WHOLE_LENGTH = 1024 * 1024
const PIECE_LENGTH = 64 * 1024

/** The answers of a process share its event loop, so they share this line. */
let line = Promise.resolve()

/** Resolves in a turn of the event loop in which no other large answer goes on. */
function nextTurn(): Promise<void> {
  line = line.then(() => new Promise((resolve) => void setImmediate(resolve)))
  return line
}

/** The client has left, or was cut off because it did not read. */
export class ClientGone extends Error {}

/**
 * A JSON document that may be slow to come, or too large for one string. A small one that is ready in time is returned as
 * it is. Otherwise headers leave early, white space keeps the connection alive (JSON allows it before a document), and
 * pieces are written as fast as the client reads.
 */
export class DocumentStream {
  readonly #outgoing: ServerResponse
  readonly #options: DocumentStreamOptions
  #text = ''
  #timer: { cancel(): void } | undefined
  #sincePause = 0

  constructor(outgoing: ServerResponse, options: DocumentStreamOptions) {
    this.#outgoing = outgoing
    this.#options = options
    this.#scheduleBeat()
  }

  /** Whether a status can no longer be chosen. */
  get hasBegun(): boolean {
    return this.#outgoing.headersSent
  }

  /** A promise only if the client must be waited for: most pieces are only kept. Rejects with `ClientGone`. */
  write(text: string): Promise<void> | undefined {
    this.#text += text
    return this.#text.length < WHOLE_LENGTH ? undefined : this.#writeOut()
  }

  /** The whole document, unless it was streamed. */
  async end(): Promise<string | undefined> {
    this.#timer?.cancel()
    if (!this.hasBegun) return this.#text
    await this.#writeOut()
    this.#outgoing.end()
    return undefined
  }

  /** Cuts the connection if the document has begun: the client must not take a part of it for the whole. */
  abandon(): void {
    this.#timer?.cancel()
    if (this.hasBegun) this.#outgoing.destroy()
  }

  #scheduleBeat(): void {
    const { clock, firstByteMs } = this.#options
    this.#timer = clock.setTimer(firstByteMs, () => {
      this.#begin()
      this.#outgoing.write(' ')
      this.#scheduleBeat()
    })
  }

  #begin(): void {
    this.#timer?.cancel()
    if (!this.hasBegun) this.#outgoing.writeHead(this.#options.status, { 'content-type': 'application/json' })
  }

  async #writeOut(): Promise<void> {
    this.#begin()
    const text = this.#text
    this.#text = ''
    for (let at = 0; at < text.length;) {
      const end = endOfPiece(text, at)
      await this.#writePiece(text.slice(at, end))
      this.#sincePause += end - at
      at = end
      // A fast client takes every piece in the same turn of the event loop. Others have their turn in between.
      if (this.#sincePause < WHOLE_LENGTH) continue
      this.#sincePause = 0
      await nextTurn()
    }
  }

  async #writePiece(piece: string): Promise<void> {
    const { clock, patienceMs } = this.#options
    if (this.#outgoing.destroyed) throw new ClientGone()
    const { promise, resolve } = Promise.withResolvers<void>()
    const patience = clock.setTimer(patienceMs, () => this.#outgoing.destroy())
    this.#outgoing.on('close', resolve)
    this.#outgoing.write(piece, () => resolve())
    await promise
    this.#outgoing.off('close', resolve)
    patience.cancel()
    if (this.#outgoing.destroyed) throw new ClientGone()
  }
}

/** Never half of a character: each piece is encoded alone. */
function endOfPiece(text: string, start: number): number {
  const end = Math.min(start + PIECE_LENGTH, text.length)
  const last = text.charCodeAt(end - 1)
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end + 1 : end
}
