import { createSseReader, type SseEvent } from '@polylogue/kit/client'
import {
  TurnRefusal,
  ConnectionLost,
  type TurnRequest,
  type TurnResponse,
  type TurnTransport,
} from './turn-transport.ts'
import { toTurnUpdate, toWireEvents, type TurnUpdate } from './turn-update.ts'
import { wireAnswer, wireEvent, wireRefusal } from './wire-schemas.ts'

/** One event of a turn. */
export interface StreamedUpdate {
  /** As it came over the wire, unknown events and fields included. */
  readonly json: Readonly<Record<string, unknown>>
  /** Absent for an event that this client does not know. */
  readonly update?: TurnUpdate
  /** The block of a step that a piece of text belongs to. */
  readonly block?: string
}

const MOST_ATTEMPTS_IN_SILENCE = 8

export const sessionPath = (sessionId: string): string => `/aap/v3/sessions/${encodeURIComponent(sessionId)}`

export const eventsAfter = (sessionId: string, cursor: string): TurnRequest => ({
  method: 'GET',
  path: `${sessionPath(sessionId)}/events?after=${encodeURIComponent(cursor)}`,
})

/** Follows a turn to its stop. A lost connection is opened again at the last event. */
export async function* followStream(
  transport: TurnTransport,
  sessionId: string,
  first: TurnRequest,
): AsyncGenerator<StreamedUpdate> {
  const losses: unknown[] = []
  let request = first
  for (let attempt = 1; attempt <= MOST_ATTEMPTS_IN_SILENCE; attempt += 1) {
    for await (const received of receive(transport, request, losses)) {
      losses.length = 0
      attempt = 0
      if (received.id !== '') request = eventsAfter(sessionId, received.id)
      const streamed = toStreamedUpdate(received)
      yield streamed
      if (streamed.update?.type === 'stopped') return
    }
    await reconnect(transport, losses)
  }
  throw lostTouch(losses)
}

/** For agents that cannot stream: waits for the whole answer. */
export async function* receiveWhole(transport: TurnTransport, request: TurnRequest): AsyncGenerator<StreamedUpdate> {
  const losses: unknown[] = []
  for (let attempt = 1; attempt <= MOST_ATTEMPTS_IN_SILENCE; attempt += 1) {
    const response = await orLoss(transport.request(request), losses)
    const body = response && !isClosing(response) ? await orLoss(readWhole(response), losses) : undefined
    if (body !== undefined) {
      yield* toWireEvents(wireAnswer.parse(body)).map((event) => ({ json: event, update: toTurnUpdate(event) }))
      return
    }
    await reconnect(transport, losses)
  }
  throw lostTouch(losses)
}

/** Throws the server's sentence about a refused request. */
export async function refuseFailure(response: TurnResponse): Promise<void> {
  const { status } = response
  if (status < 400) return
  const body = wireRefusal.safeParse(parseJson(await response.text()))
  throw new TurnRefusal(body.success ? body.data.error : `The server answered ${status}.`, status)
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function readWhole(response: TurnResponse): Promise<unknown> {
  await refuseFailure(response)
  return JSON.parse(await response.text())
}

/** The events of one connection. Ends without an error when the connection does. */
async function* receive(transport: TurnTransport, request: TurnRequest, losses: unknown[]): AsyncGenerator<SseEvent> {
  const response = await orLoss(transport.request(request), losses)
  if (!response || isClosing(response)) return
  await refuseFailure(response)
  const reader = createSseReader()
  const chunks = response.chunks()[Symbol.asyncIterator]()
  for (;;) {
    const next = await orLoss(chunks.next(), losses)
    if (!next || next.done) return
    yield* reader.push(next.value)
  }
}

/** A server that is about to stop answers 503; the next one continues the turn. */
function isClosing(response: TurnResponse): boolean {
  return response.status === 503
}

async function orLoss<T>(attempt: Promise<T>, losses: unknown[]): Promise<T | undefined> {
  try {
    return await attempt
  } catch (error) {
    if (error instanceof TurnRefusal) throw error
    losses.push(error)
    return undefined
  }
}

async function reconnect(transport: TurnTransport, losses: unknown[]): Promise<void> {
  losses.push(new Error('The stream ended before the turn did.'))
  await orLoss(transport.reconnect(), losses)
}

const lostTouch = (losses: readonly unknown[]): ConnectionLost =>
  new ConnectionLost('The connection was lost. The turn may still run.', { cause: losses[0] })

/** The id of a delta is `<step>.<block>.<offset>`. */
const BLOCK = /^\d+\.\d+(?=\.)/

function toStreamedUpdate({ id, event, data }: SseEvent): StreamedUpdate {
  const json = parseJson(data)
  if (typeof json !== 'object' || json === null) throw new Error('The server sent an event that is not a JSON object.')
  const named = { event, ...json }
  const known = wireEvent.safeParse(named)
  const block = BLOCK.exec(id)?.[0]
  return {
    json: named,
    ...(known.success && { update: toTurnUpdate(known.data) }),
    ...(block !== undefined && { block }),
  }
}
