/**
 * A small client of Blade's Socket.IO channel, with its sessions folded. For tests and pages alike: it imports nothing of
 * Node or the engine.
 */
import type { Socket, io } from 'socket.io-client'
import { SessionFold } from '../fold/session-fold.ts'
import type { AskUserAnswer, BladeOutput, MessageContent, SendOptions, ServerEvents } from '../wire.ts'

export interface BladeClientOptions {
  readonly url: string
  readonly token: string
  /** Deltas without snapshots; the fold does not need them. `true` unless said otherwise. */
  readonly isLean?: boolean
  /** Whether it subscribes again by itself when it comes back. `true` unless said otherwise. */
  readonly resubscribes?: boolean
  readonly transports?: readonly ('polling' | 'websocket')[]
  /** Of every request; a browser sends those of its own. */
  readonly headers?: { readonly [name: string]: string }
}

/** What the server answers to a request. */
export type Ack =
  | {
      readonly status: 'ok'
      readonly run_id?: string
      readonly queued?: boolean
      readonly position?: number
    }
  | { readonly status: 'error'; readonly code: string; readonly message: string }

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

export class BladeClient {
  readonly socket: Socket
  readonly #folds = new Map<string, SessionFold>()
  readonly #subscribed = new Set<string>()
  readonly #listeners = new Set<(output: BladeOutput) => void>()

  /** `open` is the `io` of socket.io-client: whoever only serves need not load it. */
  constructor(open: typeof io, options: BladeClientOptions) {
    const { url, token, isLean = true, resubscribes = true, transports, headers } = options
    this.socket = open(url, {
      auth: { token, ...(isLean && { lean: true }) },
      forceNew: true,
      autoConnect: false,
      ...(transports && { transports: [...transports] }),
      ...(headers && { extraHeaders: headers }),
    })
    for (const event of EVENTS) {
      this.socket.on(event, (payload: ServerEvents[typeof event]) => this.#take({ event, payload } as BladeOutput))
    }
    if (resubscribes) this.socket.io.on('reconnect', () => void this.#comeBack())
  }

  /** What was told while it was away may be lost: the server remembers it for two minutes only, and not over its restart. */
  async #comeBack(): Promise<void> {
    for (const sessionId of this.#subscribed) {
      this.state(sessionId).distrust()
      await this.subscribe(sessionId)
    }
  }

  /** Rejects with the server's reason when it may not connect. */
  async connect(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.socket.once('connect', resolve)
    this.socket.once('connect_error', reject)
    this.socket.connect()
    try {
      await promise
    } finally {
      this.socket.off('connect', resolve)
      this.socket.off('connect_error', reject)
    }
  }

  close(): void {
    this.socket.disconnect()
  }

  /** Hears everything that the server tells, after it was folded. Answers what ends it. */
  listen(listener: (output: BladeOutput) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** The turns of a session as far as they are known here. */
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

  send(sessionId: string, message: MessageContent, options: SendOptions = {}): Promise<Ack> {
    // Whoever sends is subscribed.
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

  /** Whether a request that was cut off was done is not known; a message is known again by its `client_message_id`. */
  async #ask(event: string, payload: unknown): Promise<Ack> {
    try {
      return (await this.socket.emitWithAck(event, payload)) as Ack
    } catch {
      return { status: 'error', code: 'disconnected', message: 'The connection was cut before the server answered.' }
    }
  }

  #take(output: BladeOutput): void {
    const { session_id } = output.payload
    if (typeof session_id === 'string') this.state(session_id).apply(output)
    for (const listener of this.#listeners) listener(output)
  }
}
