import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Clock, Pace, Timer } from '@polylogue/engine'
import { beginChunks, endChunks, writeChunk } from '../http/chunks.ts'
import type { FlushQueue, Flushable } from './flush-queue.ts'
import { BEATS, type Beating, type Heartbeats } from './heartbeats.ts'
import { HEARTBEAT } from './sse-frame.ts'
import { WaitingFrames } from './waiting-frames.ts'

/** Takes frames in order. A later frame never overtakes one that is still being made. */
export interface FrameSink {
  send(frame: string): void
  sendLater(frame: Promise<string>): void
}

/** The same object for all streams of a door, to save memory. */
export interface EventStreamOptions {
  readonly queue: FlushQueue
  readonly clock: Clock
  readonly heartbeats: Heartbeats
  /** How long a client that reads the past may take nothing before its connection is cut. */
  readonly patienceMs: number
  /** A client is sent nothing more while this much waits for it (or twice its largest event, if that is more). */
  readonly outBufferBytes: number
  /** A client that does not read is disconnected. */
  onSlow(): void
}

const SSE_HEADERS: OutgoingHttpHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
}

// A client that reads live events may take nothing for this long. The system reports progress in steps of up to a third of
// the socket's send buffer, over a megabyte on a fast network: a shorter time would cut clients that read steadily.
const STALLED_MS = 5_000
// The system is given one piece at a time. When it has taken a piece, the client is making progress, however much waits.
const PIECE_LENGTH = 64 * 1024

/** One open event stream, written directly to the response. Headers leave with the first frames. */
export class EventStream implements FrameSink, Flushable, Pace, Beating {
  readonly #outgoing: ServerResponse
  readonly #options: EventStreamOptions
  readonly #onGone = (): void => this.#release()
  readonly #onWritten = (): void => this.#written()
  readonly #closing: (() => void)[] = []
  /** Frames that no write has begun with. */
  readonly #pending = new WaitingFrames()
  /** The text that is being written, and how much of it the system was given. */
  #current = ''
  #given = 0
  #isWriting = false
  /** Pieces that the system has taken. */
  #pieces = 0
  #isDirty = false
  #state: 'open' | 'ending' | 'closed' = 'open'
  #largest = 0
  /** Frames behind one that is still being made. */
  #waiting: (string | Promise<string>)[] | undefined
  #waitingSize = 0
  #whenMade: Promise<void> | undefined
  #whenWritten: PromiseWithResolvers<void> | undefined
  #stalled = (): void => this.#dropSlow()
  #silentBeats = 0
  flushedAt = 0

  constructor(outgoing: ServerResponse, options: EventStreamOptions) {
    this.#outgoing = outgoing
    this.#options = options
    outgoing.on('close', this.#onGone).on('error', this.#onGone)
    if (outgoing.destroyed || outgoing.closed) this.#release()
    else options.heartbeats.add(this)
  }

  /** Calls `run` once, when the stream ends for any reason; at once if it has ended. */
  whenClosed(run: () => void): void {
    if (this.#state === 'closed') run()
    else this.#closing.push(run)
  }

  /** Sends the headers now, for a stream that may have nothing to send for a while. */
  begin(): void {
    if (this.#state === 'open') this.#markDirty()
  }

  send(frame: string): void {
    if (this.#state !== 'open') return
    if (this.#waiting !== undefined) return this.#wait(frame, frame.length)
    this.#pending.add(frame)
    if (frame.length > this.#largest) this.#largest = frame.length
    if (!this.#isDirty) this.#markDirty()
    // A long replay in one go: write it, and see whether anybody reads.
    else if (this.#pending.length > this.#limit()) this.#write()
    else if (this.isUrgent) this.#options.queue.hurry()
  }

  sendLater(frame: Promise<string>): void {
    if (this.#state !== 'open') return
    const isFirst = this.#waiting === undefined
    this.#wait(frame, 0)
    frame.catch(() => this.drop())
    if (isFirst) this.#whenMade = this.#sendWaiting().catch(() => this.drop())
  }

  /** After everything that was sent. */
  end(): void {
    if (this.#state !== 'open') return
    this.#state = 'ending'
    if (this.#waiting === undefined) this.#markDirty()
    this.#options.queue.hurry()
    if (!this.#isWriting) return
    const patience = this.#watchProgress(this.#options.patienceMs)
    this.whenClosed(() => patience.cancel())
  }

  /** At once, whatever is still to be written. */
  drop(): void {
    if (this.#state === 'closed') return
    this.#outgoing.destroy()
    this.#release()
  }

  /** Half of what costs a client its stream. */
  get isFull(): boolean {
    return this.#unsent() > this.#limit() / 2
  }

  onStalled(run: () => void): void {
    this.#stalled = run
  }

  /** Resolves when the system has taken everything, or when the stream is over. */
  async room(reading: 'past' | 'live'): Promise<void> {
    await this.#whenMade
    if (this.#state !== 'closed') this.#write()
    if (this.#state === 'closed' || !this.#isWriting) return
    const patience = this.#watchProgress(reading === 'past' ? this.#options.patienceMs : STALLED_MS)
    this.#whenWritten ??= Promise.withResolvers()
    await this.#whenWritten.promise
    patience.cancel()
  }

  /** Gives the response back if nothing was written yet, else drops it. */
  abandon(): void {
    if (this.#outgoing.headersSent) this.drop()
    else this.#release()
  }

  beat(): void {
    this.#silentBeats += 1
    if (this.#silentBeats < BEATS) return
    this.#silentBeats = 0
    this.send(HEARTBEAT)
  }

  get isUrgent(): boolean {
    return this.#state !== 'open' || this.#pending.length > PIECE_LENGTH
  }

  flush(): void {
    this.#isDirty = false
    if (this.#state !== 'closed') this.#write()
  }

  #write(): void {
    if (this.#isWriting) return this.#checkLimit()
    if (this.#given === this.#current.length) this.#takePending()
    if (!this.#outgoing.headersSent) beginChunks(this.#outgoing, SSE_HEADERS)
    const piece = this.#nextPiece()
    const isLast = this.#given === this.#current.length && this.#pending.length === 0 && this.#waiting === undefined
    if (this.#state === 'ending' && isLast) {
      endChunks(this.#outgoing, piece)
      return this.#release()
    }
    if (piece === '') return this.#outgoing.flushHeaders()
    this.#isWriting = true
    writeChunk(this.#outgoing, piece, this.#onWritten)
    this.#silentBeats = 0
    this.#checkLimit()
  }

  #checkLimit(): void {
    if (this.#unsent() > this.#limit()) this.#stalled()
  }

  #written(): void {
    this.#isWriting = false
    this.#pieces += 1
    if (this.#state === 'closed') return
    const isBehind = this.#given < this.#current.length || this.#pending.length > PIECE_LENGTH
    if (isBehind || this.#state === 'ending') return this.#write()
    if (this.#pending.length > 0) return this.#markDirty()
    this.#whenWritten?.resolve()
    this.#whenWritten = undefined
  }

  #takePending(): void {
    this.#current = this.#pending.take(PIECE_LENGTH)
    this.#given = 0
  }

  /** Never half of a character: each piece is encoded alone. */
  #nextPiece(): string {
    const { length } = this.#current
    const start = this.#given
    let end = Math.min(start + PIECE_LENGTH, length)
    if (end < length && isHighSurrogate(this.#current.charCodeAt(end - 1))) end += 1
    this.#given = end
    return start === 0 && end === length ? this.#current : this.#current.slice(start, end)
  }

  /** What the system has not taken yet, as far as we know. */
  #unsent(): number {
    const inHand = this.#isWriting ? Math.min(PIECE_LENGTH, this.#given) : 0
    return this.#pending.length + this.#waitingSize + this.#current.length - this.#given + inHand
  }

  /** Cuts the connection as soon as the system has taken nothing for so long. */
  #watchProgress(patienceMs: number): Timer {
    const { clock } = this.#options
    let timer: Timer
    const watch = (): void => {
      const pieces = this.#pieces
      timer = clock.setTimer(patienceMs, () => (this.#pieces > pieces ? watch() : this.#dropSlow()))
    }
    watch()
    return { cancel: () => timer.cancel() }
  }

  #dropSlow(): void {
    if (this.#state !== 'closed') this.#options.onSlow()
    this.drop()
  }

  #limit(): number {
    return Math.max(this.#options.outBufferBytes, 2 * this.#largest)
  }

  #markDirty(): void {
    if (this.#isDirty) return
    this.#isDirty = true
    this.#options.queue.add(this)
  }

  #wait(frame: string | Promise<string>, size: number): void {
    this.#waiting ??= []
    this.#waiting.push(frame)
    this.#waitingSize += size
    if (this.#waitingSize > this.#limit()) this.#dropSlow()
  }

  async #sendWaiting(): Promise<void> {
    for (const waiting = this.#waiting ?? []; waiting.length > 0; waiting.shift()) {
      const frame = await waiting[0]
      if (this.#state === 'closed' || frame === undefined) return
      this.#pending.add(frame)
      this.#largest = Math.max(this.#largest, frame.length)
    }
    this.#waiting = undefined
    this.#waitingSize = 0
    this.#markDirty()
  }

  #release(): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#pending.clear()
    this.#current = ''
    this.#given = 0
    this.#waiting = undefined
    this.#whenWritten?.resolve()
    this.#options.heartbeats.remove(this)
    this.#outgoing.off('close', this.#onGone)
    for (const run of this.#closing) run()
  }
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
