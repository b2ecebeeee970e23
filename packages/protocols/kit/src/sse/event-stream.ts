import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Clock, Pace, Timer } from '@polylogue/engine'
import { beginChunks, endChunks, writeChunk } from '../http/chunks.ts'
import type { FlushQueue, Flushable } from './flush-queue.ts'
import { BEATS, type Beating, type Heartbeats } from './heartbeats.ts'
import { HEARTBEAT } from './sse-frame.ts'

/** Takes frames in order. A later frame never overtakes one that is still being made. */
export interface FrameSink {
  send(frame: string): void
  sendLater(frame: Promise<string>): void
}

/** The same for all streams of a door: an object of its own would cost each of them. */
export interface EventStreamOptions {
  readonly queue: FlushQueue
  readonly clock: Clock
  readonly heartbeats: Heartbeats
  /** How long nothing of a past may leave before its client counts as gone. */
  readonly patienceMs: number
  /** No reader is told more while this much waits for it (or twice its largest event, if that is more). */
  readonly outBufferBytes: number
  /** The reader did not read and is let go. */
  onSlow(): void
}

const SSE_HEADERS: OutgoingHttpHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
}

// A past is long and networks are slow; a client that has fallen behind what happens now is told so by its socket, and
// comes back with its cursor.
const STALLED_MS = 500

/** One open event stream, written straight to the socket's response. Headers leave with the first frames. */
export class EventStream implements FrameSink, Flushable, Pace, Beating {
  readonly #outgoing: ServerResponse
  readonly #options: EventStreamOptions
  readonly #onGone = (): void => this.#release()
  readonly #closing: (() => void)[] = []
  #pending = ''
  #isDirty = false
  #state: 'open' | 'ending' | 'closed' = 'open'
  #largest = 0
  /** Frames behind one that is still being made. */
  #waiting: (string | Promise<string>)[] | undefined
  #waitingSize = 0
  #whenMade: Promise<void> | undefined
  #stalled = (): void => this.#dropSlow()
  #silentBeats = 0

  constructor(outgoing: ServerResponse, options: EventStreamOptions) {
    this.#outgoing = outgoing
    this.#options = options
    outgoing.on('close', this.#onGone).on('error', this.#onGone)
    if (outgoing.destroyed || outgoing.closed) this.#release()
    else options.heartbeats.add(this)
  }

  /** Once, whatever ends the stream; at once if it has ended. */
  whenClosed(run: () => void): void {
    if (this.#state === 'closed') run()
    else this.#closing.push(run)
  }

  /** Sends the headers now, for a stream that may have nothing to say for a while. */
  begin(): void {
    if (this.#state === 'open') this.#markDirty()
  }

  send(frame: string): void {
    if (this.#state !== 'open') return
    if (this.#waiting !== undefined) return this.#wait(frame, frame.length)
    this.#pending += frame
    if (frame.length > this.#largest) this.#largest = frame.length
    if (!this.#isDirty) this.#markDirty()
    // A long replay in one go: out with it, and see whether anybody reads.
    else if (this.#pending.length > this.#limit()) this.#write()
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
  }

  /** At once, whatever is still to be written. */
  drop(): void {
    if (this.#state === 'closed') return
    this.#outgoing.destroy()
    this.#release()
  }

  /** Half of what costs a reader its stream. */
  get isFull(): boolean {
    return this.#pending.length + this.#waitingSize + this.#outgoing.writableLength > this.#limit() / 2
  }

  onStalled(run: () => void): void {
    this.#stalled = run
  }

  async room(reading: 'past' | 'live'): Promise<void> {
    await this.#whenMade
    if (this.#state !== 'closed') this.#write()
    if (this.#state === 'closed' || !this.#outgoing.writableNeedDrain) return
    const patienceMs = reading === 'past' ? this.#options.patienceMs : STALLED_MS
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#outgoing.on('drain', resolve).on('close', resolve)
    const patience = this.#watchProgress(patienceMs)
    await promise
    this.#outgoing.off('drain', resolve).off('close', resolve)
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

  flush(): void {
    this.#isDirty = false
    if (this.#state !== 'closed') this.#write()
  }

  #write(): void {
    const text = this.#pending
    this.#pending = ''
    if (!this.#outgoing.headersSent) beginChunks(this.#outgoing, SSE_HEADERS)
    if (this.#state === 'ending' && this.#waiting === undefined) {
      endChunks(this.#outgoing, text)
      return this.#release()
    }
    if (text === '') return this.#outgoing.flushHeaders()
    writeChunk(this.#outgoing, text)
    this.#silentBeats = 0
    if (this.#outgoing.writableLength > this.#limit()) this.#stalled()
  }

  /** Drops the stream as soon as nothing has left for so long. */
  #watchProgress(patienceMs: number): Timer {
    const { clock } = this.#options
    let timer: Timer
    const watch = (): void => {
      const { writableLength } = this.#outgoing
      timer = clock.setTimer(patienceMs, () =>
        this.#outgoing.writableLength < writableLength ? watch() : this.#dropSlow(),
      )
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
      this.#pending += frame
      this.#largest = Math.max(this.#largest, frame.length)
    }
    this.#waiting = undefined
    this.#waitingSize = 0
    this.#markDirty()
  }

  #release(): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#pending = ''
    this.#waiting = undefined
    this.#options.heartbeats.remove(this)
    this.#outgoing.off('close', this.#onGone)
    for (const run of this.#closing) run()
  }
}
