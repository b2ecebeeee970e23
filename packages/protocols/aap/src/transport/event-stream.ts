import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Clock, Timer } from '@polylogue/engine'
import { HEARTBEAT } from '../frames.ts'
import type { FrameSink } from '../stream-presenter.ts'
import type { FlushQueue, Flushable } from './flush-queue.ts'
import type { Pace } from './paced-reader.ts'

export interface EventStreamOptions {
  readonly queue: FlushQueue
  readonly clock: Clock
  readonly heartbeatMs: number
  /** A reader that lets more than this pile up (or twice its largest event) is dropped; it may come back with its cursor. */
  readonly outBufferBytes: number
}

const SSE_HEADERS: OutgoingHttpHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
}

// A client that takes nothing for so long is not slow but gone.
const DRAIN_BEATS = 4

/** One open event stream, written straight to the socket's response. Headers leave with the first frames. */
export class EventStream implements FrameSink, Flushable, Pace {
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
  #lastWriteAt: number
  #heartbeat: Timer | undefined

  constructor(outgoing: ServerResponse, options: EventStreamOptions) {
    this.#outgoing = outgoing
    this.#options = options
    this.#lastWriteAt = options.clock.now()
    outgoing.on('close', this.#onGone).on('error', this.#onGone)
    if (outgoing.destroyed || outgoing.closed) this.#release()
    else this.#beat(options.heartbeatMs)
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
  get isCongested(): boolean {
    return this.#pending.length + this.#waitingSize + this.#outgoing.writableLength > this.#limit() / 2
  }

  async drained(): Promise<void> {
    await this.#whenMade
    if (this.#state !== 'closed') this.#write()
    if (this.#state === 'closed' || !this.#outgoing.writableNeedDrain) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const patience = this.#options.clock.setTimer(DRAIN_BEATS * this.#options.heartbeatMs, () => this.drop())
    this.#outgoing.on('drain', resolve).on('close', resolve)
    await promise
    this.#outgoing.off('drain', resolve).off('close', resolve)
    patience.cancel()
  }

  /** Gives the response back if nothing was written yet, else drops it. */
  abandon(): void {
    if (this.#outgoing.headersSent) this.drop()
    else this.#release()
  }

  flush(): void {
    this.#isDirty = false
    if (this.#state !== 'closed') this.#write()
  }

  #write(): void {
    const text = this.#pending
    this.#pending = ''
    if (!this.#outgoing.headersSent) this.#outgoing.writeHead(200, SSE_HEADERS)
    if (this.#state === 'ending' && this.#waiting === undefined) {
      this.#outgoing.end(text)
      return this.#release()
    }
    if (text === '') return this.#outgoing.flushHeaders()
    this.#outgoing.write(text)
    this.#lastWriteAt = this.#options.clock.now()
    if (this.#outgoing.writableLength > this.#limit()) this.drop()
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
    if (this.#waitingSize > this.#limit()) this.drop()
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

  #beat(ms: number): void {
    this.#heartbeat = this.#options.clock.setTimer(ms, () => {
      const silentMs = this.#options.clock.now() - this.#lastWriteAt
      const isSilent = silentMs >= this.#options.heartbeatMs
      if (isSilent) this.send(HEARTBEAT)
      if (this.#state === 'open')
        this.#beat(isSilent ? this.#options.heartbeatMs : this.#options.heartbeatMs - silentMs)
    })
  }

  #release(): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#pending = ''
    this.#waiting = undefined
    this.#heartbeat?.cancel()
    this.#outgoing.off('close', this.#onGone)
    for (const run of this.#closing) run()
  }
}
