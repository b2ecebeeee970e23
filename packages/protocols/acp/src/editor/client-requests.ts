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

export interface RequestOptions {
  /** Absent: as long as it takes. */
  readonly ms?: number
  readonly signal?: AbortSignal
  /** After so many times in a row without an answer it is not asked again; two unless said otherwise. */
  readonly patience?: number
  /** Gets an answer that came when nobody waited for it any more. */
  readonly late?: (result: unknown) => void
}

/** The client has shown that it does not do this: nothing was asked. */
export class NotAsked extends Error {}

const PATIENCE = 2

/** Requests about one session, none of which can hold up a turn: a client that does not answer is given up. */
export class ClientRequests {
  readonly #options: ClientRequestsOptions
  readonly #silences = new Map<string, number>()
  readonly #givenUp = new Set<string>()

  constructor(options: ClientRequestsOptions) {
    this.#options = options
  }

  /** Rejects with `NotAsked`, with `RpcError` when the client answers with one, and with anything else otherwise. */
  async ask<Schema extends z.ZodType>(
    method: string,
    params: object,
    schema: Schema,
    { ms, signal, patience = PATIENCE, late }: RequestOptions,
  ): Promise<z.output<Schema>> {
    if (this.#givenUp.has(method)) throw new NotAsked(method)
    const { peer, clock, sessionId } = this.#options
    const silence = new AbortController()
    const timer = ms === undefined ? undefined : clock.setTimer(ms, () => silence.abort())
    const over = signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal])
    try {
      const result = schema.parse(await peer.request(method, { sessionId, ...params }, over, late))
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

  /** It is not asked for this any more. */
  giveUp(method: string): void {
    if (this.#givenUp.has(method)) return
    this.#givenUp.add(method)
    this.#log('a client is not asked for this any more', method)
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
    // That a file is not there is an answer like any other.
    if (code === CODES.notFound || error instanceof RequestAbandoned) return
    this.#log('a client did not do what it says it can', method, { ...(code !== undefined && { code }) })
  }

  #log(message: string, method: string, more: object = {}): void {
    const { log, sessionId } = this.#options
    log({ level: 'info', message, sessionId, method, ...more })
  }
}
