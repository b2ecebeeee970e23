import { parseShape } from '@polylogue/kit'
import { asSessionId, type Clock, type SessionId, type SessionView, type Timer } from '@polylogue/engine'
import type { Socket } from 'socket.io'
import { compactSession } from './compact-session.ts'
import { sendRequestSchema, sessionRequestSchema, type SendRequest } from '../schema/client-events.ts'
import { parsePayload } from './decode.ts'
import type { BladeSocketDeps, ConnectedClient, SocketCaller } from './deps.ts'
import { SocketRefusal, toRefusal } from './errors.ts'
import type { KeptRooms, KeptSubscriptions } from './kept-rooms.ts'
import type { LiveSession, LiveSessions } from './live-sessions.ts'
import { readMissedEvents } from './missed-events.ts'
import { forGuests } from '../projection/for-guests.ts'
import { toPayload, type ProjectedOutput } from '../projection/projected-output.ts'
import type { SessionProjection } from '../projection/session-projection.ts'
import { roomOf } from './rooms.ts'
import { sendAnswer, sendMessage, type Sent } from './send-message.ts'

/** Most requests that may wait. No person sends that many. */
const MOST_WAITING = 256
/** Most unanswered pings. More would add nothing. */
const MOST_PINGS = 4
/** The time between two writes of confirmed positions. */
const STORE_MS = 5_000
/** More sessions than any page shows. */
const MOST_SUBSCRIPTIONS = 500

interface Subscription {
  readonly live: LiveSession
  /** The client has received everything up to this seq: it answered a later ping. */
  confirmed: number
}

/** The seq of each session when the ping was sent. */
type Ping = ReadonlyMap<Subscription, number>

export type PeerDeps = BladeSocketDeps & { readonly clock: Clock }

export interface PeerOptions {
  readonly socket: Socket
  readonly caller: SocketCaller
  readonly isLean: boolean
  readonly lives: LiveSessions
  readonly rooms: Pick<KeptRooms, 'store'>
}

interface Request {
  readonly event: string
  readonly payload: unknown
  run(payload: unknown): Promise<Reply | void>
  readonly ack: ((reply: Reply) => unknown) | undefined
}

type Reply = Readonly<Record<string, unknown>> | Sent

/** One connected client. Its requests run one after another, in order. */
export class Peer {
  readonly #socket: Socket
  readonly #caller: SocketCaller
  readonly #kind: 'lean' | 'plain'
  readonly #deps: PeerDeps
  readonly #lives: LiveSessions
  readonly #rooms: Pick<KeptRooms, 'store'>
  #storing: Timer | undefined
  readonly #subscriptions = new Map<SessionId, Subscription>()
  readonly #pings: Ping[] = []
  #last: Promise<void> = Promise.resolve()
  #waiting = 0

  constructor({ socket, caller, isLean, lives, rooms }: PeerOptions, deps: PeerDeps) {
    this.#socket = socket
    this.#caller = caller
    this.#kind = isLean ? 'lean' : 'plain'
    this.#deps = deps
    this.#lives = lives
    this.#rooms = rooms
    this.#on('session:subscribe', async (payload) => {
      await this.#subscribe(this.#sessionOf(payload))
      await this.#store()
    })
    this.#on('session:unsubscribe', async (payload) => {
      this.leave(this.#sessionOf(payload))
      await this.#store()
    })
    this.#on('chat:send', (payload) => this.#send(payload))
    this.#on('chat:stop', (payload) => this.#stop(this.#sessionOf(payload)))
    this.#on('chat:compact', (payload) => this.#compact(this.#sessionOf(payload)))
  }

  /** The subscriptions to recover after a reconnect. */
  get kept(): KeptSubscriptions {
    const sessions = new Map([...this.#subscriptions].map(([sessionId, { confirmed }]) => [sessionId, confirmed]))
    return { userId: this.#caller.userId, sessions }
  }

  get attached(): readonly Omit<ConnectedClient, 'since'>[] {
    const { userId, keyId } = this.#caller
    if (this.#subscriptions.size === 0) return [{ userId, keyId }]
    return [...this.#subscriptions].map(([sessionId, { confirmed }]) => ({
      userId,
      keyId,
      sessionId,
      cursor: confirmed,
    }))
  }

  isOwner({ owner }: LiveSession): boolean {
    return owner === this.#caller.userId
  }

  get mayPing(): boolean {
    return this.#pings.length < MOST_PINGS
  }

  /** A ping is sent after everything so far. A ping that overtakes something confirms nothing. */
  pinged({ isAhead }: { readonly isAhead: boolean }): void {
    if (isAhead) return void this.#pings.push(new Map())
    this.#pings.push(new Map([...this.#subscriptions.values()].map((its) => [its, its.live.projection.seq])))
  }

  /** The client answered the oldest ping. */
  ponged(): void {
    for (const [subscription, seq] of this.#pings.shift() ?? []) {
      if (subscription.confirmed !== seq) this.#storeSoon()
      subscription.confirmed = seq
    }
  }

  /** Restores the subscriptions from before the connection was lost, ahead of any new request. */
  recover(take: () => Promise<KeptSubscriptions | undefined>): void {
    this.#enqueue(async () => {
      try {
        const { sessions = [] } = (await take()) ?? {}
        for (const [sessionId, after] of sessions) await this.#resubscribe(sessionId, after)
        if (this.#subscriptions.size > 0) await this.#store()
      } catch (error) {
        if (toRefusal(error) === undefined) this.#report(error)
      }
    })
  }

  /** Ignores sessions that were deleted or are no longer shared. */
  async #resubscribe(sessionId: string, after: number): Promise<void> {
    try {
      await this.#subscribe(this.#allowed(sessionId), after)
    } catch (error) {
      if (toRefusal(error) === undefined) this.#report(error)
    }
  }

  async #store(): Promise<void> {
    const privateId: unknown = Reflect.get(this.#socket, 'pid')
    if (typeof privateId === 'string' && this.#socket.connected) await this.#rooms.store(privateId, this.kept)
  }

  /** Positions change with every answered ping. An old position only repeats events. */
  #storeSoon(): void {
    this.#storing ??= this.#deps.clock.setTimer(STORE_MS, () => {
      this.#storing = undefined
      this.#enqueue(() => this.#store().catch((error: unknown) => void this.#report(error)))
    })
  }

  leave(sessionId: SessionId): void {
    const subscription = this.#subscriptions.get(sessionId)
    if (subscription === undefined) return
    this.#subscriptions.delete(sessionId)
    void this.#socket.leave(this.#roomOf(subscription.live))
    this.#lives.release(subscription.live)
  }

  leaveAll(): void {
    this.#storing?.cancel()
    for (const sessionId of [...this.#subscriptions.keys()]) this.leave(sessionId)
  }

  #on(event: string, run: (payload: unknown) => Promise<Reply | void>): void {
    this.#socket.on(event, (...args: unknown[]) => {
      const last = args.at(-1)
      const ack =
        typeof last === 'function' ? (reply: Reply): unknown => Reflect.apply(last, undefined, [reply]) : undefined
      const payload = typeof args[0] === 'function' ? undefined : args[0]
      this.#enqueue(() => this.#reply({ event, payload, run, ack }))
    })
  }

  #enqueue(work: () => Promise<void>): void {
    if (++this.#waiting > MOST_WAITING) {
      this.#socket.disconnect(true)
      return
    }
    this.#last = this.#last.then(work).finally(() => this.#waiting--)
  }

  /** Contract: never rejects. */
  async #reply({ event, payload, run, ack }: Request): Promise<void> {
    try {
      const { follow } = this.#deps
      const reply = await (follow === undefined ? run(payload) : follow(event, () => run(payload)))
      ack?.({ status: 'ok', ...reply })
    } catch (error) {
      const { code, message } = toRefusal(error) ?? this.#report(error)
      ack?.({ status: 'error', code, message })
      if (event !== 'chat:send') return
      const { success, data } = parseShape(sessionRequestSchema, payload)
      const session_id = success ? data.session_id : null
      this.#socket.emit('system:error', { message, session_id, code, detail: null })
    }
  }

  #report(error: unknown): SocketRefusal {
    this.#deps.log({ level: 'error', message: 'a Socket.IO request failed', error })
    return new SocketRefusal('internal_error', 'Something went wrong.')
  }

  #sessionOf(payload: unknown): SessionId {
    return this.#allowed(parsePayload(sessionRequestSchema, payload).session_id)
  }

  /** Any other session is unknown to a client that may see only one. */
  #allowed(sessionId: string): SessionId {
    const { onlySession = sessionId } = this.#caller
    if (sessionId !== onlySession) throw new SocketRefusal('session_not_found', 'there is no such session')
    return asSessionId(sessionId)
  }

  async #subscribe(sessionId: SessionId, after?: number): Promise<void> {
    const { engine } = this.#deps
    if (this.#subscriptions.has(sessionId)) return
    if (this.#subscriptions.size >= MOST_SUBSCRIPTIONS) {
      throw new SocketRefusal('too_many_subscriptions', `a socket may watch at most ${MOST_SUBSCRIPTIONS} sessions`)
    }
    const view = await engine.readSession(this.#caller.userId, sessionId, 'guest')
    const live = await this.#lives.acquire(sessionId, view.userId)
    const missed =
      after === undefined
        ? undefined
        : await readMissedEvents(engine, { userId: view.userId, sessionId, after }, this.#deps)
    // No await from here on: missed and live events must join without a gap or a repeat.
    const told = missed?.take() ?? []
    if (!this.#socket.connected) return this.#lives.release(live)
    if (!this.isOwner(live) && isUnsharedSince(view.lastSeq, live.projection)) {
      this.#lives.release(live)
      throw new SocketRefusal('session_not_found', 'there is no such session')
    }
    live.settle()
    for (const output of told) this.#tell(live, output)
    for (const payload of live.projection.streaming) this.#tell(live, { event: 'turn:start', payload })
    void this.#socket.join(this.#roomOf(live))
    const { seq } = live.projection
    this.#subscriptions.set(sessionId, { live, confirmed: after ?? seq })
  }

  #tell(live: LiveSession, output: ProjectedOutput): void {
    const shown = this.isOwner(live) ? output : forGuests(output)
    if (shown !== undefined) this.#socket.emit(shown.event, toPayload(shown, this.#kind))
  }

  #roomOf(live: LiveSession): string {
    return roomOf(live.sessionId, this.#kind, this.isOwner(live) ? 'owner' : 'guest')
  }

  async #send(payload: unknown): Promise<Sent> {
    const { userId, keyId } = this.#caller
    const request = parsePayload(sendRequestSchema, payload)
    const view = await this.#own(this.#allowed(request.session_id))
    if (this.#caller.onlySession !== undefined && isSpecial(request)) {
      throw new SocketRefusal('forbidden', 'only plain messages are sent here')
    }
    const { sessionId } = view
    if (!this.#subscriptions.has(sessionId)) {
      await this.#subscribe(sessionId)
      await this.#store()
    }
    const target = { userId, sessionId, keyId }
    if (request.askuser_answer === undefined) return sendMessage(this.#deps, { ...target, agent: view.agent }, request)
    const projection = this.#subscriptions.get(sessionId)?.live.projection
    return sendAnswer(this.#deps, { ...target, projection }, request)
  }

  async #stop(sessionId: SessionId): Promise<void> {
    await this.#own(sessionId)
    const { userId } = this.#caller
    await this.#deps.engine.execute({ type: 'cancel-turn', userId, sessionId, reason: 'user', dropQueue: true })
  }

  async #compact(sessionId: SessionId): Promise<void> {
    await this.#own(sessionId)
    await compactSession(this.#deps.engine, this.#caller.userId, sessionId)
  }

  /** Refuses users who may only read the session. */
  async #own(sessionId: SessionId): Promise<SessionView> {
    const { userId } = this.#caller
    const view = await this.#deps.engine.readSession(userId, sessionId, 'guest')
    if (view.userId !== userId) throw new SocketRefusal('forbidden', 'this session is shared with you as read-only')
    return view
  }
}

/** Whether a message changes how the session works, beyond what it says. */
const isSpecial = ({ mode, model, headless, output_schema }: SendRequest): boolean =>
  mode !== undefined || model !== undefined || headless === true || output_schema !== undefined

/** Later changes reach subscribers as events. */
const isUnsharedSince = (seq: number, { facts, seq: read }: SessionProjection): boolean =>
  read >= seq && facts?.isShared !== true
