import { randomId } from '@polylogue/kit/client'
import { SessionFold } from '../fold/session-fold.ts'
import type { TurnPage } from '../fold/turn-pages.ts'
import type { AskUserAnswer, BladeOutput, MessageContent, SendOptions, SessionDetail, TurnProjection } from '../wire.ts'
import type { Ack, BladeClient, Connection } from './blade-client.ts'
import type { BladeApi } from './blade-api.ts'
import { findBridges, type BridgeEvent } from './find-bridges.ts'

/** Where turns are fetched from. The newest turns come without `before`, which is the `sequence` of the earliest known turn. */
export type ReadTurns = (page: {
  readonly before?: number
  readonly signal: AbortSignal
}) => Promise<readonly TurnProjection[]>

export interface BladeSessionOptions {
  readonly client: BladeClient
  readonly api: Pick<BladeApi, 'session' | 'messages'>
  readonly sessionId: string
  /** For servers that list turns in pages. Absent: all turns are fetched at once. */
  readonly readTurns?: ReadTurns
  /** How many pages of 50 turns are kept. Dropped pages can come back only with `readTurns`. Default: all. */
  readonly maxPages?: number
  /** Decides when listeners are notified, for example `requestAnimationFrame`. Default: immediately. */
  readonly schedule?: (tell: () => void) => void
}

export interface SessionSnapshot {
  /** The turns in their order, in pages of at most 50. A page that has not changed is the same object. */
  readonly pages: readonly TurnPage[]
  /** `loading` until the first fetch. `offline` while the connection is lost: the turns may be outdated. */
  readonly state: 'loading' | 'live' | 'offline' | 'failed'
  readonly error: string | undefined
  /** Status, title, model and more. Absent until fetched. */
  readonly detail: SessionDetail | undefined
  /** Whether `loadEarlier` would bring more turns. */
  readonly hasEarlier: boolean
}

const MOST_ATTEMPTS = 5
const PAUSE_MS = 300

/**
 * One session as a store, for example for `useSyncExternalStore`. It subscribes, fetches the turns, folds events, and
 * fetches again after it missed something.
 */
export class BladeSession {
  readonly id: string
  readonly #options: BladeSessionOptions
  readonly #fold: SessionFold
  readonly #closed = new AbortController()
  readonly #listeners = new Set<() => void>()
  readonly #turnListeners = new Map<string, Set<() => void>>()
  readonly #bridgeListeners = new Set<(event: BridgeEvent) => void>()
  readonly #endings: (() => void)[] = []
  #changed = new Set<string>()
  #isScheduled = false
  #refreshing: Promise<void> | undefined
  #hasBaseline = false
  #snapshot: SessionSnapshot

  constructor(options: BladeSessionOptions) {
    const { client, sessionId, maxPages } = options
    this.id = sessionId
    this.#options = options
    this.#fold = new SessionFold(sessionId, { ...(maxPages !== undefined && { maxPages }) })
    this.#snapshot = { pages: [], state: 'loading', error: undefined, detail: undefined, hasEarlier: false }
    this.#endings.push(
      client.listen((output) => this.#hear(output)),
      client.watchConnection((connection) => this.#onConnection(connection)),
    )
    if (client.isConnected) void this.#refresh()
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** The same object until something changes. */
  readonly getSnapshot = (): SessionSnapshot => this.#snapshot

  turn(turnId: string): TurnProjection | undefined {
    return this.#fold.turn(turnId)
  }

  /** Calls back when that turn changes. */
  watchTurn(turnId: string, listener: () => void): () => void {
    const listeners = this.#turnListeners.get(turnId) ?? new Set()
    this.#turnListeners.set(turnId, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) this.#turnListeners.delete(turnId)
    }
  }

  /** `bridge`: called once for each action that a tool requests from the page while the session is open, never for past ones. */
  on(_event: 'bridge', listener: (event: BridgeEvent) => void): () => void {
    this.#bridgeListeners.add(listener)
    return () => void this.#bridgeListeners.delete(listener)
  }

  /** Resolves when the fetch of the turns has succeeded or failed. */
  async ready(): Promise<SessionSnapshot> {
    while (this.#snapshot.state === 'loading' && !this.#closed.signal.aborted) {
      await new Promise<void>((resolve) => {
        const stop = this.subscribe(() => {
          stop()
          resolve()
        })
      })
    }
    return this.#snapshot
  }

  /**
   * Sends a message. If the connection is lost before the server answers, it is sent again under the same
   * `client_message_id`, which the server runs once. Rejects when the signal aborts. The message may have been sent.
   */
  async send(message: MessageContent, { signal, ...options }: SendOptions & Abortable = {}): Promise<Ack> {
    const known = { client_message_id: randomId(), ...options }
    for (;;) {
      // A request made offline would be sent even after the signal has aborted.
      await this.#untilConnected(signal)
      const ack = await unlessAborted(this.#options.client.send(this.id, message, known), signal)
      if (ack.status === 'ok' || ack.code !== 'disconnected') return ack
    }
  }

  answer(answer: AskUserAnswer, options: Abortable = {}): Promise<Ack> {
    return this.send('', { askuser_answer: answer, ...options })
  }

  stop(): Promise<Ack> {
    return this.#options.client.stop(this.id)
  }

  compact(): Promise<Ack> {
    return this.#options.client.compact(this.id)
  }

  /** Fetches the page before the earliest known turn. */
  async loadEarlier(signal?: AbortSignal): Promise<void> {
    const { readTurns } = this.#options
    const before = this.#earliest()
    if (readTurns === undefined || before === 0) return
    const signals = [this.#closed.signal, ...(signal ? [signal] : [])]
    this.#fold.loadEarlier(await readTurns({ before, signal: AbortSignal.any(signals) }))
    this.#change({})
  }

  close(): void {
    if (this.#closed.signal.aborted) return
    this.#closed.abort(new Error('The session was closed.'))
    for (const end of this.#endings) end()
    if (this.#options.client.isConnected) void this.#options.client.unsubscribe(this.id)
    this.#change({})
  }

  #hear(output: BladeOutput): void {
    const { event, payload } = output
    if (payload.session_id !== this.id) return
    if (event === 'session:updated') return this.#update(payload)
    if (event !== 'turn:start' && event !== 'turn:patch' && event !== 'turn:end') return
    const bridges = findBridges(this.#fold, output, { hasBaseline: this.#hasBaseline })
    this.#fold.apply(output)
    this.#changed.add(payload.turn_id)
    this.#change({})
    for (const bridge of bridges) for (const listener of this.#bridgeListeners) listener(bridge)
    if (this.#fold.isDirty) void this.#refresh()
  }

  #update({ session_id: _session, queue: _queue, ...changes }: Updated): void {
    const { detail } = this.#snapshot
    if (detail !== undefined) this.#change({ detail: { ...detail, ...changes } })
  }

  #onConnection(connection: Connection): void {
    if (connection.state === 'open') void this.#refresh()
    else if (connection.state === 'refused') this.#change({ state: 'failed', error: connection.message })
    else if (this.#snapshot.state === 'live') this.#change({ state: 'offline' })
  }

  #refresh(): Promise<void> {
    this.#refreshing ??= this.#fetchUntilClean().finally(() => (this.#refreshing = undefined))
    return this.#refreshing
  }

  async #fetchUntilClean(): Promise<void> {
    for (let attempt = 1; !this.#closed.signal.aborted && this.#options.client.isConnected; attempt += 1) {
      try {
        await this.#fetch()
        if (!this.#fold.isDirty || attempt === MOST_ATTEMPTS) return
      } catch (error) {
        if (this.#closed.signal.aborted || !this.#options.client.isConnected) return
        if (attempt === MOST_ATTEMPTS || !isTemporary(error)) {
          this.#change({ state: 'failed', error: error instanceof Error ? error.message : String(error) })
          return
        }
      }
      await pause(PAUSE_MS * attempt, this.#closed.signal)
    }
  }

  async #fetch(): Promise<void> {
    const { client, api, readTurns } = this.#options
    const { signal } = this.#closed
    this.#fold.distrust()
    const { missed } = this.#fold
    const ack = await client.subscribeAgain(this.id)
    if (ack.status === 'error') throw new SubscriptionRefused(ack)
    const [turns, detail] = await Promise.all([
      readTurns === undefined ? api.messages(this.id, signal) : readTurns({ signal }),
      api.session(this.id, signal),
    ])
    if (readTurns === undefined) this.#fold.load(turns, missed)
    else this.#fold.loadTail(turns, missed)
    this.#hasBaseline = true
    for (const turnId of this.#turnListeners.keys()) this.#changed.add(turnId)
    this.#change({ state: client.isConnected ? 'live' : 'offline', error: undefined, detail })
  }

  /** The first turn from which all turns up to the newest are known. */
  #earliest(): number {
    const turns = this.#fold.turns
    const hole = turns.findLastIndex((turn, at) => at > 0 && turns[at - 1]?.sequence !== turn.sequence - 1)
    return (hole === -1 ? turns[0] : turns[hole])?.sequence ?? 0
  }

  #change(changes: Partial<SessionSnapshot>): void {
    const hasEarlier = this.#options.readTurns !== undefined && (this.#fold.pages[0]?.turns[0]?.sequence ?? 0) > 0
    this.#snapshot = { ...this.#snapshot, hasEarlier, ...changes, pages: this.#fold.pages }
    if (this.#isScheduled) return
    this.#isScheduled = true
    const { schedule = callNow } = this.#options
    schedule(() => {
      this.#isScheduled = false
      this.#tell()
    })
  }

  #tell(): void {
    const changed = this.#changed
    this.#changed = new Set()
    for (const turnId of changed) for (const listener of this.#turnListeners.get(turnId) ?? []) listener()
    for (const listener of this.#listeners) listener()
  }

  #untilConnected(signal?: AbortSignal): Promise<void> {
    const { client } = this.#options
    if (client.isConnected) return Promise.resolve()
    const either = AbortSignal.any([this.#closed.signal, ...(signal ? [signal] : [])])
    return new Promise((resolve, reject) => {
      const end = (finish: () => void): void => {
        stop()
        either.removeEventListener('abort', abort)
        finish()
      }
      const abort = (): void => end(() => reject(either.reason as Error))
      const stop = client.watchConnection((connection) => {
        if (connection.state === 'open') end(resolve)
        if (connection.state === 'refused') end(() => reject(new Error(connection.message)))
      })
      if (either.aborted) abort()
      else either.addEventListener('abort', abort, { once: true })
    })
  }
}

interface Abortable {
  readonly signal?: AbortSignal
}

type Updated = Extract<BladeOutput, { event: 'session:updated' }>['payload']

const callNow = (tell: () => void): void => tell()

/** The server does not let this client watch the session. */
class SubscriptionRefused extends Error {
  override readonly name = 'SubscriptionRefused'

  constructor({ message }: Extract<Ack, { status: 'error' }>) {
    super(message)
  }
}

/** A network failure, or a server that is stopping or starting. */
function isTemporary(error: unknown): boolean {
  if (error instanceof SubscriptionRefused) return false
  return !(error instanceof Error && 'status' in error && typeof error.status === 'number' && error.status < 500)
}

async function unlessAborted<Value>(asked: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return asked
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason as Error)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([asked, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end, { once: true })
  })
}
