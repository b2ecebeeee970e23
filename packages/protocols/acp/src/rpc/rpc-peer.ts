// The agent's side of JSON-RPC 2.0 over lines of JSON: https://agentclientprotocol.com/protocol/overview
//
// We use the SDK's types but not its connection. That one answers a malformed envelope without its id and repeats the
// frame, drops the answers of running requests when the input ends, and strips keys that must be refused.
import type { LogEntry } from '@polylogue/engine'
import { setImmediate as giveWay } from 'node:timers/promises'
import { LineReader, lineText } from '@polylogue/kit/light'
import { isObject } from '../is-object.ts'
import { readEnvelope, type Incoming, type RpcId } from './envelope.ts'
import type { OutQueue } from './out-queue.ts'
import { CODES, RequestAbandoned, RpcError, methodNotFound, type ErrorDetails } from './rpc-error.ts'

/** The context of a request. */
export interface Exchange {
  /** Aborts when the client cancels its request. */
  readonly signal: AbortSignal
  /** Runs directly after the response, so its frames come next. Not run after an error. */
  afterResponse(run: () => void): void
}

export type RequestMethod = (params: unknown, exchange: Exchange) => Promise<object>
export type NotificationMethod = (params: unknown) => Promise<void>

export interface RpcMethods {
  readonly requests: ReadonlyMap<string, RequestMethod>
  readonly notifications: ReadonlyMap<string, NotificationMethod>
  /** Turns an error of a method into the error that the client gets. */
  toError(error: unknown, method: string, params: unknown): RpcError
}

export interface RpcPeerOptions {
  readonly out: OutQueue
  readonly frameBytes: number
  readonly jsonDepth: number
  log(entry: LogEntry): void
}

export interface RequestTerms {
  readonly signal: AbortSignal
  /** Called with an answer that arrives after `signal` has aborted. */
  readonly late?: ((result: unknown) => void) | undefined
}

interface Awaited {
  resolve(result: unknown): void
  reject(error: Error): void
}

const CANCEL = '$/cancel_request'
/** One chunk of input may hold millions of lines. After this much work, other tasks get a turn. */
const WORK_IN_A_ROW = 10_000
const WORK_OF_A_FRAME = 100
const WORK_OF_AN_EMPTY_LINE = 1

const EMPTY = new Uint8Array()

export class RpcPeer {
  readonly #options: RpcPeerOptions
  readonly #methods: () => RpcMethods
  readonly #awaited = new Map<RpcId, Awaited>()
  /** Open requests of the client, by id. If a client reuses an open id, the later request replaces the earlier one. */
  readonly #open = new Map<RpcId, AbortController>()
  readonly #running = new Set<Promise<void>>()
  #lastId = 0
  #isDeserted = false

  constructor(options: RpcPeerOptions, methods: () => RpcMethods) {
    this.#options = options
    this.#methods = methods
  }

  /** Resolves at the end of the input or when `signal` aborts. Rejects with `LineTooLong` or the error of the input. */
  async read(input: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<void> {
    const reader = input.getReader()
    const stop = (): void =>
      void reader.cancel().catch((error: unknown) => this.#logProblem('closing the input', error))
    signal.addEventListener('abort', stop, { once: true })
    const lines = new LineReader(this.#options.frameBytes)
    let work = 0
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (signal.aborted) return
        if (done) return this.#receive(lines.end() ?? EMPTY)
        for (const line of lines.push(value)) {
          work += line.length > 1 ? WORK_OF_A_FRAME : WORK_OF_AN_EMPTY_LINE
          this.#receive(line)
          if (work < WORK_IN_A_ROW) continue
          work = 0
          await giveWay()
          if (signal.aborted) return
        }
      }
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  notify(method: string, params: object): void {
    this.#options.out.write(JSON.stringify({ jsonrpc: '2.0', method, params }))
  }

  /**
   * Rejects with `RpcError` when the client answers with an error, and with `RequestAbandoned` when `signal` aborts. An
   * aborted request is cancelled at the client; a late answer goes to `late`, or is dropped.
   */
  request(method: string, params: object, { signal, late }: RequestTerms): Promise<unknown> {
    if (signal.aborted || this.#isDeserted) return Promise.reject(new RequestAbandoned(method))
    this.#lastId += 1
    const id = this.#lastId
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const abandon = (): void => {
      if (late === undefined) this.#awaited.delete(id)
      else this.#awaited.set(id, { resolve: late, reject: () => undefined })
      this.notify(CANCEL, { requestId: id })
      reject(new RequestAbandoned(method))
    }
    signal.addEventListener('abort', abandon, { once: true })
    const settle = (run: () => void): void => {
      signal.removeEventListener('abort', abandon)
      run()
    }
    this.#awaited.set(id, {
      resolve: (result) => settle(() => resolve(result)),
      reject: (error) => settle(() => reject(error)),
    })
    this.#options.out.write(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    return promise
  }

  /** Rejects all requests to the client: it is gone. */
  abandonRequests(): void {
    this.#isDeserted = true
    const awaited = [...this.#awaited.values()]
    this.#awaited.clear()
    for (const { reject } of awaited) reject(new RequestAbandoned('the client is gone'))
  }

  /** Resolves when every request of the client is answered. */
  async answered(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  #receive(line: Uint8Array): void {
    if (line.length <= 1) return
    const incoming = readEnvelope(lineText(line), this.#options.jsonDepth)
    if (incoming === undefined) return
    switch (incoming.type) {
      case 'invalid':
        return this.#fail(incoming.id, new RpcError(incoming.code, incoming.message))
      case 'response':
        return this.#settle(incoming)
      case 'request':
        return this.#track(this.#answer(incoming))
      case 'notification':
        return this.#track(this.#hear(incoming))
    }
  }

  #track(work: Promise<void>): void {
    this.#running.add(work)
    void work.finally(() => this.#running.delete(work))
  }

  async #answer({ id, method, params }: Extract<Incoming, { type: 'request' }>): Promise<void> {
    const run = this.#methods().requests.get(method)
    if (run === undefined) return this.#fail(id, methodNotFound(method))
    const cancel = new AbortController()
    this.#open.set(id, cancel)
    const afterwards: (() => void)[] = []
    try {
      const result = await run(params, { signal: cancel.signal, afterResponse: (next) => void afterwards.push(next) })
      this.#options.out.write(JSON.stringify({ jsonrpc: '2.0', id, result }))
      for (const next of afterwards) next()
    } catch (error) {
      this.#fail(id, this.#methods().toError(error, method, params))
    } finally {
      if (this.#open.get(id) === cancel) this.#open.delete(id)
    }
  }

  async #hear({ method, params }: Extract<Incoming, { type: 'notification' }>): Promise<void> {
    if (method === CANCEL) return this.#cancel(params)
    try {
      await this.#methods().notifications.get(method)?.(params)
    } catch (error) {
      this.#methods().toError(error, method, params)
    }
  }

  #cancel(params: unknown): void {
    const id = isObject(params) ? params['requestId'] : undefined
    if (typeof id === 'string' || typeof id === 'number') this.#open.get(id)?.abort()
  }

  #settle({ id, result, error }: Extract<Incoming, { type: 'response' }>): void {
    const awaited = this.#awaited.get(id)
    if (awaited === undefined) {
      this.#options.log({ level: 'info', message: 'a client answered an unknown request', id: String(id).slice(0, 64) })
      return
    }
    this.#awaited.delete(id)
    if (error === undefined) awaited.resolve(result)
    else awaited.reject(toClientError(error))
  }

  #fail(id: RpcId, { code, message, details }: RpcError): void {
    const error: { code: number; message: string; data?: ErrorDetails } = { code, message }
    if (details !== undefined) error.data = details
    this.#options.out.write(JSON.stringify({ jsonrpc: '2.0', id, error }))
  }

  #logProblem(what: string, error: unknown): void {
    this.#options.log({ level: 'warn', message: `a problem with ${what}`, error })
  }
}

function toClientError(error: unknown): RpcError {
  const code = isObject(error) && typeof error['code'] === 'number' ? error['code'] : CODES.internal
  return new RpcError(code, 'the client answered with an error')
}
