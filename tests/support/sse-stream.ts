import type { IncomingHttpHeaders } from 'node:http'
import { type Exchange, beginExchange } from './http-exchange.ts'
import { type Frame, createSseParser } from './sse-parser.ts'

/** An open event stream, read in the background. Every wait fails when the stream ends or breaks first. */
export interface SseStream {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** All frames so far. */
  readonly frames: readonly Frame[]
  readonly comments: readonly string[]
  /** The first frame of the stream that matches. Each frame is tested once. */
  until(fits: (frame: Frame) => boolean): Promise<Frame>
  untilCount(event: string, count: number): Promise<Frame>
  /** The frame whose delta completes this text. A reader that joins late gets the text so far as one delta. */
  untilText(text: string): Promise<Frame>
  untilComment(): Promise<string>
  /** All frames, once the server has ended the response. */
  finished(): Promise<readonly Frame[]>
  /** Resets the connection, like a client that disappears. Idempotent. */
  cut(): void
}

interface Waiter {
  check(): boolean
  fail(error: Error): void
}

export async function openSseStream(exchange: Exchange): Promise<SseStream> {
  const abort = new AbortController()
  const response = await beginExchange(exchange, abort.signal)
  const parser = createSseParser()
  const frames: Frame[] = []
  const waiters = new Set<Waiter>()
  let over: 'ended' | Error | undefined

  function notice(): void {
    for (const waiter of waiters) {
      if (waiter.check()) waiters.delete(waiter)
      else if (over !== undefined) {
        waiters.delete(waiter)
        waiter.fail(over === 'ended' ? new Error(`the stream ended after ${describe(frames)}`) : over)
      }
    }
  }

  function wait<T>(look: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      waiters.add({
        check() {
          const found = look()
          if (found !== undefined) resolve(found)
          return found !== undefined
        },
        fail: reject,
      })
      notice()
    })
  }

  function until(fits: (frame: Frame) => boolean): Promise<Frame> {
    let looked = 0
    return wait(() => {
      while (looked < frames.length) {
        const frame = frames[looked++]
        if (frame && fits(frame)) return frame
      }
      return undefined
    })
  }

  async function read(): Promise<void> {
    try {
      for await (const chunk of response) {
        frames.push(...parser.feed(chunk as Uint8Array))
        notice()
      }
      parser.end()
      over = 'ended'
    } catch (error) {
      over = error instanceof Error ? error : new Error(String(error))
    }
    notice()
  }
  const reading = read()

  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    frames,
    comments: parser.comments,
    until,
    untilCount(event, count) {
      let seen = 0
      return until((frame) => frame.event === event && ++seen === count)
    },
    untilText(text) {
      let said = ''
      return until(({ event, data }) => {
        if (event === 'text_delta') said += String(data['delta'])
        return said.includes(text)
      })
    },
    untilComment: () => wait(() => parser.comments[0]),
    async finished() {
      await reading
      if (over instanceof Error) throw over
      return frames
    },
    cut: () => abort.abort(),
  }
}

function describe(frames: readonly Frame[]): string {
  return frames.length === 0 ? 'no event' : frames.map(({ event }) => event).join(', ')
}
