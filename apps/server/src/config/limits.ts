import { z } from 'zod'

const MEBIBYTE = 1024 * 1024

/** The limits of a server. Every value can be set under `limits` in the configuration. */
export interface Limits {
  /** Model calls in one turn. An agent may set its own limit. */
  readonly maxSteps: number
  /** Queued inputs of one session. */
  readonly queuedInputs: number
  /** Open requests of one API key that wait for a turn: event streams and answers without a stream. */
  readonly streamsPerKey: number
  /** The same for all keys together. */
  readonly streams: number
  /** Large answers of one user that are read at the same time. */
  readonly readsPerUser: number
  readonly requestsPerKeyPerMinute: number
  /** Inputs, answers and approvals. */
  readonly promptsPerUserPerMinute: number
  readonly runningTurnsPerUser: number
  /** Turns that run on one node at the same time, if several nodes share a database. Others wait for a node with room. */
  readonly turnsPerNode: number
  /** Unauthenticated connections from one address. */
  readonly unauthenticatedSockets: number
  /** Milliseconds from the first byte of a request to the end of its headers. */
  readonly headersMs: number
  /** Milliseconds from the first byte of a request to the last byte of its body. The answer may take any time. */
  readonly requestMs: number
  /** Whether connections and wrong keys from this machine count. */
  readonly loopback: 'exempt' | 'counted'
  readonly requestBytes: number
  /** Body size on routes that accept images. */
  readonly imageRequestBytes: number
  readonly jsonDepth: number
  /** Number of object keys in one body. */
  readonly jsonKeys: number
  /** Characters of one string in a body, except images as `data:` URLs. */
  readonly jsonStringLength: number
  /** Characters of all text in one input. */
  readonly promptLength: number
  /** Storage of one session: its log and its attachments. */
  readonly sessionBytes: number
  /** Storage of all sessions of one user. */
  readonly userBytes: number
  /** Unread bytes of a connection before its reader is paused; at least twice the largest event. */
  readonly outBufferBytes: number
}

const upTo = (largest: number, normal: number) => z.int().min(1).max(largest).default(normal)

export const limitsSchema = z.strictObject({
  maxSteps: upTo(10_000, 200),
  queuedInputs: upTo(1000, 8),
  streamsPerKey: upTo(100_000, 1000),
  streams: upTo(1_000_000, 20_000),
  readsPerUser: upTo(10_000, 8),
  requestsPerKeyPerMinute: upTo(100_000_000, 60_000),
  promptsPerUserPerMinute: upTo(100_000_000, 30_000),
  runningTurnsPerUser: upTo(100_000, 1000),
  turnsPerNode: upTo(100_000, 1000),
  unauthenticatedSockets: upTo(100_000, 64),
  headersMs: upTo(600_000, 10_000),
  requestMs: upTo(3_600_000, 30_000),
  loopback: z.enum(['exempt', 'counted']).default('exempt'),
  requestBytes: upTo(256 * MEBIBYTE, 4 * MEBIBYTE),
  imageRequestBytes: upTo(256 * MEBIBYTE, 32 * MEBIBYTE),
  // JSON.stringify overflows the stack at about 4000 levels, although JSON.parse does not.
  jsonDepth: upTo(1000, 64),
  // A client may send one of our histories back as a seed: tens of thousands of messages, with whole tool results as strings.
  jsonKeys: upTo(1_000_000, 250_000),
  jsonStringLength: upTo(256 * MEBIBYTE, 8 * MEBIBYTE),
  promptLength: upTo(256 * MEBIBYTE, MEBIBYTE),
  sessionBytes: upTo(512 * MEBIBYTE, 128 * MEBIBYTE),
  userBytes: upTo(1024 * 1024 * MEBIBYTE, 4096 * MEBIBYTE),
  outBufferBytes: upTo(256 * MEBIBYTE, 512 * 1024),
}) satisfies z.ZodType<Limits>
