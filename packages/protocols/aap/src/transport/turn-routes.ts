import {
  SessionFollower,
  canonicalJson,
  type AdmittedTurn,
  type IdempotencyKey,
  type JsonValue,
  type SessionId,
} from '@polylogue/engine'
import { EventStream, Heartbeats, onRevoked, writeList, type EventStreamOptions, type FlushQueue } from '@polylogue/kit'
import { toCreateAndRun, toTurnCommand } from '../commands.ts'
import { parseEventCursor } from '../cursors.ts'
import { parseCreateAndRun, parseTurn } from '../decode.ts'
import type { AapDeps } from '../deps.ts'
import { WireError } from '../errors.ts'
import { eventFrame } from '../frames.ts'
import { IncomingImages } from '../images.ts'
import { takeModelOptions } from '../model-options.ts'
import type { AapVersion, StreamMode } from '../wire.ts'
import { answerDocument } from './answer-document.ts'
import { collectTurn } from './collect-turn.ts'
import {
  checkCapabilities,
  findAgent,
  headerOf,
  queryOf,
  readBody,
  sendJson,
  sessionIdOf,
  type Answer,
  type Exchange,
} from './exchange.ts'
import { followSession, streamTurn, type SessionStream } from './stream-session.ts'

export interface TurnDeps extends AapDeps {
  readonly queue: FlushQueue
}

/** A client that reads nothing for this many heartbeats is gone. */
const PATIENCE_INTERVALS = 4

interface StreamDeps extends TurnDeps {
  readonly stream: EventStreamOptions
}

function withStreams(deps: TurnDeps): StreamDeps {
  const { queue, clock, heartbeatMs, limits, streams } = deps
  return {
    ...deps,
    stream: {
      queue,
      clock,
      heartbeats: new Heartbeats(clock, heartbeatMs),
      patienceMs: PATIENCE_INTERVALS * heartbeatMs,
      outBufferBytes: limits.outBufferBytes,
      onSlow: () => streams.dropped(),
    },
  }
}

export function runTurn(turnDeps: TurnDeps, version: AapVersion): Answer {
  const deps = withStreams(turnDeps)
  const { engine, agents, modelsFor, digest } = deps
  return async (exchange) => {
    const { outgoing, caller } = exchange
    const { userId } = caller
    const session = await engine.readSession(userId, sessionIdOf(exchange))
    const body = await readBody(exchange, deps)
    const request = parseTurn(version, body)
    const agent = findAgent(agents, session.agent)
    checkCapabilities(agent, request)
    const images = new IncomingImages(agent.features.images, digest)
    const chosen = takeModelOptions(request.agent?.options, agent, modelsFor(agent))
    const { sessionId } = session
    deps.streams.admit(caller, outgoing)
    const target = { userId, keyId: caller.keyId, sessionId, idempotency: idempotencyOf(exchange, body, deps) }
    const turn = await engine.execute(toTurnCommand(target, request, { images, chosen }))
    deps.streams.attached(caller, sessionId, outgoing)
    if (request.stream !== 'none') return sendTurn(exchange, deps, { sessionId, turn, mode: request.stream })
    return answerTurn(exchange, deps, { sessionId, turn, status: 200 })
  }
}

/** Version 1: a session and its first turn in one request. */
export function createAndRun(turnDeps: TurnDeps): Answer {
  const deps = withStreams(turnDeps)
  const { engine, agents, modelsFor, digest } = deps
  return async (exchange) => {
    const { outgoing, caller } = exchange
    const body = await readBody(exchange, deps)
    const request = parseCreateAndRun(body)
    const agent = findAgent(agents, request.agent.name)
    checkCapabilities(agent, request)
    const images = new IncomingImages(agent.features.images, digest)
    const chosen = takeModelOptions(request.agent.options, agent, modelsFor(agent))
    deps.streams.admit(caller, outgoing)
    const { sessionId, turn } = await engine.execute(
      toCreateAndRun({ ...caller, idempotency: idempotencyOf(exchange, body, deps) }, request, { images, chosen }),
    )
    if (turn === undefined) throw new Error('a session created with an input has a turn')
    deps.streams.attached(caller, sessionId, outgoing)
    if (request.stream !== 'none') {
      const opening = eventFrame(`${turn.seq - 1}`, { event: 'session_start', sessionId })
      return sendTurn(exchange, deps, { sessionId, turn, mode: request.stream, opening })
    }
    return answerTurn(exchange, deps, { sessionId, turn, status: 201 })
  }
}

export function cancelTurn({ engine }: AapDeps): Answer {
  return async (exchange) => {
    const { userId } = exchange.caller
    const sessionId = sessionIdOf(exchange)
    await engine.execute({
      type: 'cancel-turn',
      userId,
      sessionId,
      reason: 'cancelled by the client',
      dropQueue: false,
    })
    sendJson(exchange.outgoing, 202, {})
  }
}

/** The session's events after a cursor: to the next stop, or for as long as the client listens. */
export function followEvents(turnDeps: TurnDeps): Answer {
  const deps = withStreams(turnDeps)
  const { engine, agents } = deps
  return async (exchange) => {
    const { outgoing, caller } = exchange
    // A browser that reconnects repeats its first URL; its position is in the header.
    const cursor = parseEventCursor(headerOf(exchange, 'last-event-id') ?? queryOf(exchange, 'after') ?? '0')
    const mode = parseFollowMode(queryOf(exchange, 'stream'))
    const onStop = parseFlag(queryOf(exchange, 'follow'), 'follow') ? 'continue' : 'done'
    const { sessionId, agent, lastSeq, status } = await engine.readSession(caller.userId, sessionIdOf(exchange))
    checkCapabilities(findAgent(agents, agent), { stream: mode })
    deps.streams.admit(caller, outgoing)
    deps.streams.attached(caller, sessionId, outgoing)
    return openStream(exchange, deps, {
      sessionId,
      mode,
      async read(session) {
        await followSession(session, { cursor, lastSeq, isRunning: status === 'running', onStop })
        session.stream.begin()
      },
    })
  }
}

/** The answer to a turn without a stream; a creation names its session. */
function answerTurn(
  exchange: Exchange,
  deps: TurnDeps,
  { sessionId, turn, status }: Pick<StreamedTurn, 'sessionId' | 'turn'> & { readonly status: 200 | 201 },
): Promise<void> {
  const subject = { engine: deps.engine, userId: exchange.caller.userId, sessionId }
  return answerDocument(exchange, { ...deps, status }, async (document) => {
    const { stop, messages } = await collectTurn(subject, turn, connectionOf(exchange))
    const { stopReason, ...rest } = stop
    const head = JSON.stringify({ ...(status === 201 && { sessionId }), stopReason })
    await document.write(`${head.slice(0, -1)},"messages":`)
    await writeList(document, messages)
    const tail = JSON.stringify(rest)
    await document.write(tail === '{}' ? '}' : `,${tail.slice(1)}`)
  })
}

interface StreamedTurn {
  readonly sessionId: SessionId
  readonly turn: AdmittedTurn
  readonly mode: SessionStream['mode']
  readonly opening?: string
}

function sendTurn(
  exchange: Exchange,
  deps: StreamDeps,
  { sessionId, turn, mode, opening }: StreamedTurn,
): Promise<void> {
  return openStream(exchange, deps, {
    sessionId,
    mode,
    read(session) {
      if (opening !== undefined) session.stream.send(opening)
      return streamTurn(session, turn)
    },
  })
}

interface StreamRead extends Pick<StreamedTurn, 'sessionId' | 'mode'> {
  read(session: SessionStream): Promise<void>
}

// A client that does not read must not keep a stream open after its key was revoked.
const REVOKED_GRACE_MS = 500

/** Runs `read` on a new stream. Until its first frame is out, a failure is still an ordinary answer. */
async function openStream(
  { outgoing, caller }: Exchange,
  deps: StreamDeps,
  { sessionId, mode, read }: StreamRead,
): Promise<void> {
  const subject = { engine: deps.engine, userId: caller.userId, sessionId }
  const stream = new EventStream(outgoing, deps.stream)
  const follower = new SessionFollower({ ...subject, pace: stream })
  deps.streams.reading(outgoing, () => follower.seq)
  stream.onStalled(() => follower.pause())
  stream.whenClosed(() => follower.close())
  const stopWatching = onRevoked(caller.revoked, () => {
    stream.end()
    deps.clock.setTimer(REVOKED_GRACE_MS, () => outgoing.destroy())
  })
  stream.whenClosed(stopWatching)
  try {
    await read({ ...subject, mode, stream, follower })
  } catch (error) {
    stream.abandon()
    throw error
  }
}

function connectionOf({ outgoing, caller }: Exchange) {
  return { outgoing, revoked: caller.revoked }
}

const MAX_KEY_LENGTH = 255

function idempotencyOf(exchange: Exchange, body: JsonValue, { digest }: AapDeps): IdempotencyKey | undefined {
  const key = headerOf(exchange, 'idempotency-key')
  if (key === undefined) return undefined
  if (key === '' || key.length > MAX_KEY_LENGTH || /\p{Cc}/u.test(key)) {
    throw new WireError(
      400,
      `Idempotency-Key: expected 1 to ${MAX_KEY_LENGTH} characters, none of them control characters`,
    )
  }
  // A client then knows that it may send the turn again.
  exchange.outgoing.setHeader('idempotency-key', key)
  return { key, fingerprint: digest(canonicalJson(body)) }
}

function parseFollowMode(text: string | undefined): Exclude<StreamMode, 'none'> {
  if (text === undefined || text === 'delta') return 'delta'
  if (text === 'message') return 'message'
  throw new WireError(400, 'stream: expected delta or message')
}

function parseFlag(text: string | undefined, field: string): boolean {
  if (text === undefined || text === '0' || text === 'false') return false
  if (text === '1' || text === 'true') return true
  throw new WireError(400, `${field}: expected 0 or 1`)
}
