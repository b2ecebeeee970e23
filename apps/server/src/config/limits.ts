import { z } from 'zod'

const MEBIBYTE = 1024 * 1024

/** What bounds a server. Every number may be set under `limits` in the configuration. */
export interface Limits {
  /** Model calls in one turn; an agent may set its own. */
  readonly maxSteps: number
  /** Inputs that wait in one session while a turn runs. */
  readonly queuedInputs: number
  /** Open event streams of one API key. */
  readonly streamsPerKey: number
  readonly requestBytes: number
  /** On routes that take images. */
  readonly imageRequestBytes: number
  readonly jsonDepth: number
  /** Unread bytes of one connection before its reader is dropped to its cursor; twice the largest event if more. */
  readonly outBufferBytes: number
}

const upTo = (largest: number, normal: number) => z.int().min(1).max(largest).default(normal)

export const limitsSchema = z.strictObject({
  maxSteps: upTo(10_000, 50),
  queuedInputs: upTo(1000, 8),
  streamsPerKey: upTo(100_000, 50),
  requestBytes: upTo(256 * MEBIBYTE, 4 * MEBIBYTE),
  imageRequestBytes: upTo(256 * MEBIBYTE, 32 * MEBIBYTE),
  // Deeper values can be parsed but not written again: JSON.stringify runs out of stack at about 4000 levels.
  jsonDepth: upTo(1000, 64),
  outBufferBytes: upTo(256 * MEBIBYTE, 512 * 1024),
}) satisfies z.ZodType<Limits>
