import type { Clock, LogEntry, SessionId } from '@polylogue/engine'
import type { z } from 'zod'
import { CODES, RequestAbandoned, RpcError } from '../rpc/rpc-error.ts'
import type { RpcPeer } from '../rpc/rpc-peer.ts'

export interface ClientRequestsOptions {
  readonly peer: RpcPeer
  readonly clock: Clock
  readonly sessionId: SessionId
  log(entry: LogEntry): void
}

export interface RequestOptions<Schema extends z.ZodType> {
  /** What the client must answer. */
  readonly answer: Schema
  /** Absent: no time limit. */
  readonly ms?: number
  readonly signal?: AbortSignal
  /** After this many unanswered requests in a row, the method is not used again. Default: 2. */
  readonly patience?: number
  /** Called with an answer that arrived after the time limit. */
  readonly late?: (result: unknown) => void
}

/** The client does not support the method. Nothing was sent. */
export class NotAsked extends Error {}

const PATIENCE = 2

/** Requests about one session with a time limit. A method that the client does not answer is not used again. */
export class ClientRequests {
  readonly #options: ClientRequestsOptions
  readonly #silences = new Map<string, number>()
  readonly #givenUp = new Set<string>()

  constructor(options: ClientRequestsOptions) {
    this.#options = options
  }

  /** Rejects with `NotAsked`, with `RpcError` when the client answers with an error, or with any other failure. */
  async ask<Schema extends z.ZodType>(
    method: string,
    params: object,
    { answer, ms, signal, patience = PATIENCE, late }: RequestOptions<Schema>,
  ): Promise<z.output<Schema>> {
    if (this.#givenUp.has(method)) throw new NotAsked(method)
    const { peer, clock, sessionId } = this.#options
    const silence = new AbortController()
    const timer = ms === undefined ? undefined : clock.setTimer(ms, () => silence.abort())
    const over = signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal])
    try {
      const result = answer.parse(await peer.request(method, { sessionId, ...params }, { signal: over, late }))
      this.#silences.delete(method)
      return result
    } catch (error) {
      if (silence.signal.aborted) this.#noteSilence(method, patience)
      else this.#noteFailure(method, error)
      throw error
    } finally {
      timer?.cancel()
    }
  }

  /** Stops using the method. */
  giveUp(method: string): void {
    if (this.#givenUp.has(method)) return
    this.#givenUp.add(method)
    this.#log('a method of a client is not used any more', method)
  }

  #noteSilence(method: string, patience: number): void {
    const count = (this.#silences.get(method) ?? 0) + 1
    this.#silences.set(method, count)
    this.#log('a client did not answer in time', method)
    if (count >= patience) this.giveUp(method)
  }

  #noteFailure(method: string, error: unknown): void {
    const code = error instanceof RpcError ? error.code : undefined
    if (code === CODES.methodNotFound) this.giveUp(method)
    // “File not found” is a normal answer.
    if (code === CODES.notFound || error instanceof RequestAbandoned) return
    this.#log('a client failed at a method that it advertised', method, { ...(code !== undefined && { code }) })
  }

  #log(message: string, method: string, more: object = {}): void {
    const { log, sessionId } = this.#options
    log({ level: 'info', message, sessionId, method, ...more })
  }
}
