import { z } from 'zod'

const MEBIBYTE = 1024 * 1024

/** What bounds a server. Every number may be set under `limits` in the configuration. */
export interface Limits {
  /** Model calls in one turn; an agent may set its own. */
  readonly maxSteps: number
  /** Inputs that wait in one session while a turn runs. */
  readonly queuedInputs: number
  /** Requests of one API key that stay open until a turn stops: event streams, and answers that are waited for. */
  readonly streamsPerKey: number
  /** Of all keys together. */
  readonly streams: number
  readonly requestsPerKeyPerMinute: number
  /** Inputs, answers and approvals. */
  readonly promptsPerUserPerMinute: number
  readonly runningTurnsPerUser: number
  /** Connections from one address on which no good key was shown yet. */
  readonly unauthenticatedSockets: number
  /** Milliseconds from the first byte of a request to the end of its headers. */
  readonly headersMs: number
  /** Milliseconds from the first byte of a request to the last byte of its body. The answer may take any time. */
  readonly requestMs: number
  /** Whether connections and wrong keys from this machine are counted too. */
  readonly loopback: 'exempt' | 'counted'
  readonly requestBytes: number
  /** On routes that take images. */
  readonly imageRequestBytes: number
  readonly jsonDepth: number
  /** Keys of all objects in one body. */
  readonly jsonKeys: number
  /** Characters of one string in a body, images in `data:` form excepted. */
  readonly jsonStringLength: number
  /** Characters of all text in one input. */
  readonly promptLength: number
  /** What one session may store: its log and its attachments. */
  readonly sessionBytes: number
  /** What all sessions of one user may store. */
  readonly userBytes: number
  /** Unread bytes of one connection before its reader is dropped to its cursor; twice the largest event if more. */
  readonly outBufferBytes: number
}

const upTo = (largest: number, normal: number) => z.int().min(1).max(largest).default(normal)

export const limitsSchema = z.strictObject({
  maxSteps: upTo(10_000, 50),
  queuedInputs: upTo(1000, 8),
  streamsPerKey: upTo(100_000, 1000),
  streams: upTo(1_000_000, 20_000),
  requestsPerKeyPerMinute: upTo(100_000_000, 60_000),
  promptsPerUserPerMinute: upTo(100_000_000, 30_000),
  runningTurnsPerUser: upTo(100_000, 1000),
  unauthenticatedSockets: upTo(100_000, 64),
  headersMs: upTo(600_000, 10_000),
  requestMs: upTo(3_600_000, 30_000),
  loopback: z.enum(['exempt', 'counted']).default('exempt'),
  requestBytes: upTo(256 * MEBIBYTE, 4 * MEBIBYTE),
  imageRequestBytes: upTo(256 * MEBIBYTE, 32 * MEBIBYTE),
  // Deeper values can be parsed but not written again: JSON.stringify runs out of stack at about 4000 levels.
  jsonDepth: upTo(1000, 64),
  // A client may send a history of ours back as a seed: tens of thousands of messages, and whole tool results in one string.
  jsonKeys: upTo(1_000_000, 250_000),
  jsonStringLength: upTo(256 * MEBIBYTE, 8 * MEBIBYTE),
  promptLength: upTo(256 * MEBIBYTE, MEBIBYTE),
  sessionBytes: upTo(512 * MEBIBYTE, 128 * MEBIBYTE),
  userBytes: upTo(1024 * 1024 * MEBIBYTE, 4096 * MEBIBYTE),
  outBufferBytes: upTo(256 * MEBIBYTE, 512 * 1024),
}) satisfies z.ZodType<Limits>
