import type { AapVersion, HistoryType, WireMessage, WireMeta, WireSession, WireTurnResponse } from '../wire.ts'
import { AapError, TurnCutOff } from './aap-error.ts'
import { dialectOf, type Dialect } from './dialect.ts'
import { readEvents, type ReceivedEvent } from './read-events.ts'
import type { FirstTurn, NewSession, NewTurn } from './requests.ts'
import { createTransport, type Transport, type TransportOptions } from './transport.ts'

export interface AapClientOptions extends TransportOptions {
  /** The version that is mounted at `baseUrl`; 3 unless given. */
  readonly version?: AapVersion
}

/** Every operation of the protocol, one method each. Methods about one session give `undefined` when there is none. */
export interface AapClient {
  readonly dialect: Dialect
  meta(signal?: AbortSignal): Promise<WireMeta>
  /** Version 3. In version 1, the first turn makes the session: see `startSession`. */
  createSession(session: NewSession, signal?: AbortSignal): Promise<string>
  sessions(signal?: AbortSignal): AsyncIterable<Pick<WireSession, 'sessionId'>>
  session(sessionId: string, signal?: AbortSignal): Promise<WireSession | undefined>
  history(sessionId: string, type: HistoryType, signal?: AbortSignal): Promise<readonly WireMessage[] | undefined>
  deleteSession(sessionId: string, signal?: AbortSignal): Promise<boolean>
  /** One turn in mode `none`. Never sent twice. */
  turn(sessionId: string, turn: NewTurn, signal?: AbortSignal): Promise<WireTurnResponse>
  /**
   * One streamed turn up to its `turn_stop`. Where the server sends ids, a lost connection is resumed after the last one.
   * Otherwise it throws `TurnCutOff`: the turn may have run, so it is never sent again.
   */
  streamTurn(sessionId: string, turn: NewTurn, signal?: AbortSignal): AsyncIterable<ReceivedEvent>
  /** Version 1: makes the session by its first turn. The first event names it. */
  startSession(session: FirstTurn, signal?: AbortSignal): AsyncIterable<ReceivedEvent>
}

const RESUME_ATTEMPTS = 5
const RESUME_PAUSE_MS = 200

export function createAapClient(options: AapClientOptions): AapClient {
  const dialect = dialectOf(options.version ?? 3)
  const request = createTransport(options)
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
      const response = await request(dialect.sessions, { method: 'POST', body, ...(signal && { signal }) })
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
    async turn(id, turn, signal) {
      const body = toBody(turn, dialect, 'none')
      const response = await request(dialect.turns(id), { method: 'POST', body, ...(signal && { signal }) })
      return (await response.json()) as WireTurnResponse
    },
    streamTurn: (id, turn, signal) => {
      const body = toBody(turn, dialect, 'delta')
      const send = () => request(dialect.turns(id), { method: 'POST', body, accept: SSE, ...(signal && { signal }) })
      return followTurn(request, send, { sessionId: id, dialect, signal })
    },
    startSession: (session, signal) => {
      const { tools, stream = 'delta' } = session
      const body = { ...session, stream, ...(tools && { tools: tools.map(dialect.toTool) }) }
      const send = () => request('/session', { method: 'PUT', body, accept: SSE, ...(signal && { signal }) })
      return followTurn(request, send, { sessionId: undefined, dialect, signal })
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

interface Followed {
  readonly sessionId: string | undefined
  readonly dialect: Dialect
  readonly signal: AbortSignal | undefined
}

async function* followTurn(
  request: Transport,
  send: () => Promise<Response>,
  { sessionId, dialect, signal }: Followed,
): AsyncGenerator<ReceivedEvent> {
  let response = await send()
  let lastId = ''
  for (let attempt = 0; ;) {
    let failure: unknown
    try {
      for await (const received of readEvents(response)) {
        lastId = received.id || lastId
        attempt = 0
        yield received
        if (received.event.event === 'turn_stop') return
      }
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof TurnCutOff) throw error
      failure = error
    }
    const canResume = dialect.version === 3 && sessionId !== undefined && lastId !== ''
    for (;;) {
      if (!canResume || ++attempt > RESUME_ATTEMPTS) {
        throw new TurnCutOff('The stream ended before the turn did.', { cause: failure })
      }
      await pause(RESUME_PAUSE_MS * attempt, signal)
      try {
        const path = `${dialect.session(sessionId)}/events?after=${encodeURIComponent(lastId)}`
        response = await request(path, { accept: SSE, ...(signal && { signal }) })
        break
      } catch (error) {
        signal?.throwIfAborted()
        // A refusal stays a refusal; everything else may be a server that is starting again.
        if (error instanceof AapError && error.status < 500) {
          throw new TurnCutOff('The turn cannot be resumed.', { cause: error })
        }
        failure = error
      }
    }
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

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    if (signal?.aborted === true) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })
  })
}
