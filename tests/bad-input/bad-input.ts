import type { Random } from './random.ts'

/** What a server is told, and what it must do with it. Made from a seed and an index alone. */
export interface BadInput {
  /** What is bad about it, such as `document/v3 turn/depth 65`. */
  readonly kind: string
  readonly door: 'tcp' | 'owner-socket'
  /** Written one after the other, each as a packet of its own. */
  readonly pieces: readonly Piece[]
  readonly afterwards: Afterwards
  /** Its connection is not used for anything else. */
  readonly alone: boolean
  readonly expected: Expectation
}

/**
 * What the client does after the last piece. Who `waits to be closed` sees every answer that still comes, and so a
 * request that was smuggled in with the first.
 */
export type Afterwards = 'waits' | 'waits to be closed' | 'sends no more' | 'leaves' | 'leaves when answered'

export type Piece = string | Uint8Array

export interface Expectation {
  /** How many answers must come. `closed instead`: or none, and the connection is closed. `whatever`: we left early. */
  readonly answers: number | 'one, or closed instead' | 'whatever'
  /** Each answer has one of these statuses. Left out: whatever is no server error. */
  readonly statuses?: readonly number[] | 'refused'
  /** No answer to this request has a body. */
  readonly isHead?: boolean
}

/** What a bad input can refer to: things that exist, so that it gets past the first check. */
export interface Scene {
  readonly host: string
  readonly key: string
  /** A session of the caller that no other client uses. */
  readonly sessionId: string
  /** Another session of the caller, where the call `toolCallId` waits for an approval. */
  readonly waiting: { readonly sessionId: string; readonly toolCallId: string }
  /** Of another user. */
  readonly foreignSessionId: string
}

export type Generator = (turn: number, random: Random, scene: Scene) => BadInput
