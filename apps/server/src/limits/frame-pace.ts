// Frames of open sockets are parsed and stored like bodies, but no request bounds how many follow each other. A user may send
// so many bytes at once and then so many a second, over all sockets together. The rest waits at the client.
import type { Clock } from '@polylogue/engine'

export interface FramePace {
  /** Counts what a user has sent. Returns for how many milliseconds the server should read no more of it. */
  took(user: string, bytes: number): number
}

export interface FramePaceOptions {
  readonly clock: Pick<Clock, 'now'>
}

const MB = 1024 * 1024
/** Two of the largest messages with images. */
const USER = { burst: 64 * MB, perSecond: 4 * MB }
const ALL = { burst: 256 * MB, perSecond: 16 * MB }
/** A frame counts as at least so many bytes: it takes time however small it is. */
const LEAST_BYTES = 1024
const MOST_USERS = 10_000

interface Bucket {
  /** Bytes above the steady rate. */
  level: number
  at: number
}

export function createFramePace({ clock }: FramePaceOptions): FramePace {
  const users = new Map<string, Bucket>()
  const all: Bucket = { level: 0, at: clock.now() }
  return {
    took(user, length) {
      const bytes = Math.max(length, LEAST_BYTES)
      const now = clock.now()
      const own = users.get(user) ?? { level: 0, at: now }
      users.delete(user)
      users.set(user, own)
      const [oldest] = users.keys()
      if (users.size > MOST_USERS && oldest !== undefined) users.delete(oldest)
      return Math.max(fill(own, USER, { bytes, now }), fill(all, ALL, { bytes, now }))
    },
  }
}

function fill(
  bucket: Bucket,
  { burst, perSecond }: typeof USER,
  { bytes, now }: { readonly bytes: number; readonly now: number },
): number {
  const passed = Math.max(0, now - bucket.at)
  bucket.level = Math.max(0, bucket.level - (passed / 1000) * perSecond) + bytes
  bucket.at = now
  return Math.max(0, Math.ceil(((bucket.level - burst) / perSecond) * 1000))
}

/** Passes the bytes on as fast as the user may send them. */
export function paceInput(
  input: ReadableStream<Uint8Array>,
  pauseAfter: (bytes: number) => number,
  clock: Pick<Clock, 'setTimer'>,
): ReadableStream<Uint8Array> {
  return input.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      async transform(chunk, controller) {
        controller.enqueue(chunk)
        const pauseMs = pauseAfter(chunk.length)
        if (pauseMs > 0) await new Promise<void>((resolve) => clock.setTimer(pauseMs, resolve))
      },
    }),
  )
}
