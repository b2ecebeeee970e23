/**
 * A client of Blade's Socket.IO channel that folds its sessions. It imports neither Node nor the engine, so tests, programs
 * and browsers use the same code.
 */
import type { Socket, io } from 'socket.io-client'
import { SessionFold } from '../fold/session-fold.ts'
import type { AskUserAnswer, BladeOutput, MessageContent, SendOptions, ServerEvents } from '../wire.ts'

export interface BladeClientOptions {
  /** Such as `http://127.0.0.1:8020`. Empty or absent in a browser: the origin of the page. */
  readonly url?: string
  /** Absent in a browser whose cookie signs it in. */
  readonly token?: string
  /** Whether the server sends deltas without snapshots, which the fold does not need. Default: `true`. */
  readonly isLean?: boolean
  /** Whether the client subscribes again after a reconnect. Default: `true`. */
  readonly resubscribes?: boolean
  /** Whether `state` follows every session. A `BladeSession` folds by itself. Default: `true`. */
  readonly folds?: boolean
  /** The pause before the first reconnect. It grows to 5 s. Default: 300 ms. */
  readonly reconnectAfterMs?: number
  readonly transports?: readonly ('polling' | 'websocket')[]
  /** Sent with every request. Not for browsers. */
  readonly headers?: { readonly [name: string]: string }
}

/** The answer to a request. `disconnected`: the connection was lost, and the request may have been carried out. */
export type Ack =
  | {
      readonly status: 'ok'
      readonly run_id?: string
      readonly queued?: boolean
      readonly position?: number
    }
  | { readonly status: 'error'; readonly code: string; readonly message: string }

export type Connection = { readonly state: 'open' | 'lost' } | { readonly state: 'refused'; readonly message: string }

const EVENTS = [
  'chat:start',
  'turn:start',
  'turn:patch',
  'turn:end',
  'chat:end',
  'session:created',
  'session:updated',
  'session:deleted',
  'workspace:files_changed',
  'system:error',
  'system:notification',
  'memory:inject:done',
] as const satisfies readonly (keyof ServerEvents)[]

/** The server sends it while its storage does not answer. Socket.IO itself retries lost connections only. */
const UNAVAILABLE = 'unavailable'
const RETRY_MS = 1_000

const TURN_EVENTS: readonly string[] = ['turn:start', 'turn:patch', 'turn:end']

export class BladeClient {
  readonly socket: Socket
  readonly #isFolding: boolean
  readonly #folds = new Map<string, SessionFold>()
  readonly #subscribed = new Set<string>()
  readonly #listeners = new Set<(output: BladeOutput) => void>()
  #retry: ReturnType<typeof setTimeout> | undefined
  #hasConnected = false

  /** `open` is the `io` of socket.io-client. It is passed in, so that a server need not load it. */
  constructor(open: typeof io, options: BladeClientOptions) {
    const { url = '', token, isLean = true, resubscribes = true, folds = true, reconnectAfterMs = 300 } = options
    const { transports, headers } = options
    this.#isFolding = folds
    this.socket = open(url, {
      auth: { ...(token !== undefined && { token }), ...(isLean && { lean: true }) },
      forceNew: true,
      autoConnect: false,
      reconnectionDelay: reconnectAfterMs,
      ...(token === undefined && { withCredentials: true }),
      ...(transports && { transports: [...transports] }),
      ...(headers && { extraHeaders: headers }),
    })
    for (const event of EVENTS) {
      this.socket.on(event, (payload: ServerEvents[typeof event]) => this.#take({ event, payload } as BladeOutput))
    }
    if (resubscribes) this.socket.io.on('reconnect', () => void this.#comeBack())
    this.socket.on('connect', () => (this.#hasConnected = true))
    this.socket.on('connect_error', (error) => {
      if (this.#isTemporary(error)) this.#retry = setTimeout(() => this.socket.connect(), RETRY_MS)
    })
  }

  /** A first connection that is refused rejects `connect` instead. */
  #isTemporary({ message }: Error): boolean {
    return this.#hasConnected && message === UNAVAILABLE && !this.socket.active
  }

  /** The server remembers what a client missed for two minutes only, and not after a restart. */
  async #comeBack(): Promise<void> {
    for (const sessionId of this.#subscribed) {
      this.state(sessionId).distrust()
      await this.subscribe(sessionId)
    }
  }

  get isConnected(): boolean {
    return this.socket.connected
  }

  /** Rejects with the server's reason if it refuses the connection. */
  async connect(signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const abort = (): void => reject(signal?.reason as Error)
    if (signal?.aborted === true) abort()
    signal?.addEventListener('abort', abort, { once: true })
    this.socket.once('connect', resolve)
    this.socket.once('connect_error', reject)
    if (signal?.aborted !== true) this.socket.connect()
    try {
      await promise
    } catch (error) {
      if (signal?.aborted === true) this.socket.disconnect()
      throw error
    } finally {
      signal?.removeEventListener('abort', abort)
      this.socket.off('connect', resolve)
      this.socket.off('connect_error', reject)
    }
  }

  close(): void {
    clearTimeout(this.#retry)
    this.socket.disconnect()
  }

  /** Calls back for every event of the server, after folding it. Returns a function that stops this. */
  listen(listener: (output: BladeOutput) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Calls back when the connection opens, is lost, or is refused permanently. Returns a function that stops this. */
  watchConnection(listener: (connection: Connection) => void): () => void {
    const opened = (): void => listener({ state: 'open' })
    const lost = (): void => listener({ state: 'lost' })
    const refused = (error: Error): void => {
      // An active socket reconnects by itself.
      if (!this.socket.active && !this.#isTemporary(error)) listener({ state: 'refused', message: error.message })
    }
    this.socket.on('connect', opened)
    this.socket.on('disconnect', lost)
    this.socket.on('connect_error', refused)
    return () => {
      this.socket.off('connect', opened)
      this.socket.off('disconnect', lost)
      this.socket.off('connect_error', refused)
    }
  }

  /** The known turns of a session. */
  state(sessionId: string): SessionFold {
    const known = this.#folds.get(sessionId)
    if (known !== undefined) return known
    const fold = new SessionFold(sessionId)
    this.#folds.set(sessionId, fold)
    return fold
  }

  subscribe(sessionId: string): Promise<Ack> {
    this.#subscribed.add(sessionId)
    return this.#ask('session:subscribe', { session_id: sessionId })
  }

  unsubscribe(sessionId: string): Promise<Ack> {
    this.#subscribed.delete(sessionId)
    return this.#ask('session:unsubscribe', { session_id: sessionId })
  }

  /** Leaves the session and enters it again, so that the server sends the current state of every streaming turn. */
  async subscribeAgain(sessionId: string): Promise<Ack> {
    // The server handles both in this order.
    const left = this.#ask('session:unsubscribe', { session_id: sessionId })
    const entered = this.subscribe(sessionId)
    await left
    return entered
  }

  send(sessionId: string, message: MessageContent, options: SendOptions = {}): Promise<Ack> {
    // The server subscribes the sender.
    this.#subscribed.add(sessionId)
    return this.#ask('chat:send', { session_id: sessionId, message, ...options })
  }

  answer(sessionId: string, answer: AskUserAnswer, message = ''): Promise<Ack> {
    return this.send(sessionId, message, { askuser_answer: answer })
  }

  stop(sessionId: string): Promise<Ack> {
    return this.#ask('chat:stop', { session_id: sessionId })
  }

  compact(sessionId: string): Promise<Ack> {
    return this.#ask('chat:compact', { session_id: sessionId })
  }

  async #ask(event: string, payload: unknown): Promise<Ack> {
    try {
      return (await this.socket.emitWithAck(event, payload)) as Ack
    } catch {
      return { status: 'error', code: 'disconnected', message: 'The connection was lost before the server answered.' }
    }
  }

  #take(output: BladeOutput): void {
    const { session_id } = output.payload
    const isFolded = this.#isFolding && TURN_EVENTS.includes(output.event) && typeof session_id === 'string'
    if (isFolded) this.state(session_id).apply(output)
    for (const listener of this.#listeners) listener(output)
  }
}
