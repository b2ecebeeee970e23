import { randomId } from '@polylogue/kit/client'
import type { AapVersion, HistoryType, WireMessage, WireMeta, WireSession, WireTurnResponse } from '../wire.ts'
import { AapError } from './aap-error.ts'
import { dialectOf, type Dialect } from './dialect.ts'
import { askUntilAnswered, followTurn, pauseBeforeAttempt, type FollowedTurn, type Reconnect } from './follow-turn.ts'
import type { ReceivedEvent } from './read-events.ts'
import type { FirstTurn, NewSession, NewTurn } from './requests.ts'
import { createTransport, type Transport, type TransportOptions } from './transport.ts'

export interface AapClientOptions extends TransportOptions {
  /** The version that is mounted at `baseUrl`; 3 unless given. */
  readonly version?: AapVersion
  /** Waits until a lost connection can be opened again. By default a pause that grows with each attempt. */
  readonly reconnect?: Reconnect
}

/** Every operation of the protocol, one method each. Methods about one session give `undefined` when there is none. */
export interface AapClient {
  readonly dialect: Dialect
  meta(signal?: AbortSignal): Promise<WireMeta>
  /** Version 3. In version 1, the first turn creates the session: see `startSession`. */
  createSession(session: NewSession, signal?: AbortSignal): Promise<string>
  sessions(signal?: AbortSignal): AsyncIterable<Pick<WireSession, 'sessionId'>>
  session(sessionId: string, signal?: AbortSignal): Promise<WireSession | undefined>
  history(sessionId: string, type: HistoryType, signal?: AbortSignal): Promise<readonly WireMessage[] | undefined>
  deleteSession(sessionId: string, signal?: AbortSignal): Promise<boolean>
  /** One turn in mode `none`. Sent twice only with an `idempotencyKey`. */
  turn(sessionId: string, turn: NewTurn, signal?: AbortSignal): Promise<WireTurnResponse>
  /**
   * One streamed turn up to its `turn_stop`. Where the server sends ids, a lost connection is resumed after the last one.
   * Otherwise it throws `TurnCutOff`: the turn may have run, so it is sent again only with an `idempotencyKey`.
   */
  streamTurn(sessionId: string, turn: NewTurn, signal?: AbortSignal): AsyncIterable<ReceivedEvent>
  /** Our server: the turn that is running, after the event with that id, up to its `turn_stop`. */
  attachTurn(sessionId: string, after: string, signal?: AbortSignal): AsyncIterable<ReceivedEvent>
  /** Our server. */
  cancelTurn(sessionId: string, signal?: AbortSignal): Promise<void>
  /** Version 1: creates the session with its first turn. The first event names it. */
  startSession(session: FirstTurn, signal?: AbortSignal): AsyncIterable<ReceivedEvent>
}

export function createAapClient(options: AapClientOptions): AapClient {
  const dialect = dialectOf(options.version ?? 3)
  const send = createTransport(options)
  let knowsKeys = false
  const request: Transport = async (path, asked = {}) => {
    const response = await send(path, asked)
    const { idempotencyKey } = asked
    knowsKeys ||= idempotencyKey !== undefined && response.headers.get('idempotency-key') === idempotencyKey
    return response
  }
  const { reconnect = pauseBeforeAttempt } = options
  const eventsAfter = (sessionId: string, signal?: AbortSignal) => (lastId: string) => {
    const path = `${dialect.session(sessionId)}/events?after=${encodeURIComponent(lastId)}`
    return request(path, { accept: SSE, ...(signal && { signal }) })
  }
  const canRepeat = ({ idempotencyKey, repeat = 'always' }: Pick<NewTurn, 'idempotencyKey' | 'repeat'>) => {
    return () => idempotencyKey !== undefined && (repeat === 'always' || knowsKeys)
  }
  async function* follow(
    turn: FollowedTurn,
    signal?: AbortSignal,
    onReceived?: (received: ReceivedEvent) => void,
  ): AsyncGenerator<ReceivedEvent> {
    for await (const received of followTurn(turn, { reconnect, signal })) {
      knowsKeys ||= received.id !== ''
      onReceived?.(received)
      yield received
    }
  }
  const json = async (path: string, signal?: AbortSignal): Promise<unknown> =>
    (await request(path, signal && { signal })).json()
  return {
    dialect,
    async meta(signal) {
      // Every field is optional to a reader; only the version decides.
      const meta = (await json('/meta', signal)) as WireMeta
      if (meta.version !== dialect.version) {
        throw new AapError(
          200,
          `The server speaks version ${meta.version} of the protocol, this client version ${dialect.version}.`,
        )
      }
      return meta
    },
    async createSession(session, signal) {
      const body = { ...session, ...(session.tools && { tools: session.tools.map(dialect.toTool) }) }
      // A server that knows keys says so, before the first turn needs one.
      const idempotencyKey = randomId()
      const response = await request(dialect.sessions, {
        method: 'POST',
        body,
        idempotencyKey,
        ...(signal && { signal }),
      })
      const { sessionId } = (await response.json()) as { sessionId: string }
      return sessionId
    },
    async *sessions(signal) {
      for (let next: string | undefined = dialect.sessions; next !== undefined;) {
        const page = (await json(next, signal)) as { sessions?: readonly unknown[]; next?: string }
        yield* dialect.readPage(page)
        next = page.next === undefined ? undefined : `${dialect.sessions}?after=${encodeURIComponent(page.next)}`
      }
    },
    session: (id, signal) => unlessGone(async () => (await json(dialect.session(id), signal)) as WireSession),
    history: (id, type, signal) =>
      unlessGone(async () => dialect.readHistory((await json(dialect.history(id, type), signal)) as object, type)),
    async deleteSession(id, signal) {
      const deleted = await unlessGone(() =>
        request(dialect.session(id), { method: 'DELETE', ...(signal && { signal }) }),
      )
      return deleted !== undefined
    },
    turn(id, turn, signal) {
      const { idempotencyKey } = turn
      const isRepeatable = canRepeat(turn)
      const body = toBody(turn, dialect, 'none')
      const ask = async () => {
        const options = { method: 'POST', body, idempotencyKey, ...(signal && { signal }) } as const
        return (await (await request(dialect.turns(id), options)).json()) as WireTurnResponse
      }
      return isRepeatable() ? askUntilAnswered(ask, { reconnect, signal }) : ask()
    },
    streamTurn(id, turn, signal) {
      const { idempotencyKey } = turn
      const body = toBody(turn, dialect, 'delta')
      const options = { method: 'POST', body, accept: SSE, idempotencyKey, ...(signal && { signal }) } as const
      const begin = () => request(dialect.turns(id), options)
      return follow({ begin, isRepeatable: canRepeat(turn), resume: eventsAfter(id, signal) }, signal)
    },
    attachTurn(id, after, signal) {
      const resume = eventsAfter(id, signal)
      return follow({ begin: () => resume(after), isRepeatable: () => true, resume }, signal)
    },
    async cancelTurn(id, signal) {
      const response = await request(`${dialect.session(id)}/cancel`, {
        method: 'POST',
        body: {},
        ...(signal && { signal }),
      })
      await response.body?.cancel()
    },
    startSession(session, signal) {
      const { agent, messages, tools, stream = 'delta', idempotencyKey } = session
      const body = { agent, messages, stream, ...(tools && { tools: tools.map(dialect.toTool) }) }
      const options = { method: 'PUT', body, accept: SSE, idempotencyKey, ...(signal && { signal }) } as const
      let sessionId = ''
      const resume = (lastId: string) => eventsAfter(sessionId, signal)(lastId)
      const begin = () => request('/session', options)
      return follow({ begin, isRepeatable: canRepeat(session), resume }, signal, ({ event }) => {
        if (event.event === 'session_start') sessionId = event.sessionId
      })
    },
  }
}

const SSE = 'text/event-stream'

function toBody(turn: NewTurn, dialect: Dialect, stream: 'none' | 'delta'): NewTurn {
  const { messages, agent, tools } = turn
  return {
    stream: turn.stream ?? stream,
    messages,
    ...(agent && { agent }),
    ...(tools && { tools: tools.map(dialect.toTool) }),
  }
}

async function unlessGone<Value>(ask: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof AapError && error.status === 404) return undefined
    throw error
  }
}
