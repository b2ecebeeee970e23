import { createSseReader, type SseEvent } from '@polylogue/kit'
import type { OwnerResponse } from '@polylogue/server'
import { randomUUID } from 'node:crypto'
import { CommandFailure } from './command-failure.ts'
import { refuseFailure, type OwnerLink, type OwnerRequest } from './owner-link.ts'
import { toTurnEvents } from './turn-answer.ts'
import { turnAnswer, turnEvent, type TurnEvent } from './wire.ts'

export type StreamMode = 'delta' | 'message' | 'none'

export interface StreamedEvent {
  /** As the wire had it, unknown events and fields included. */
  readonly json: Readonly<Record<string, unknown>>
  /** Absent for an event that we do not know. */
  readonly event?: TurnEvent
  /** Which block of which step a delta belongs to. */
  readonly block?: string
}

const MOST_ATTEMPTS_IN_SILENCE = 8

export function sessionPath(sessionId: string): string {
  return `/aap/v3/sessions/${encodeURIComponent(sessionId)}`
}

/** Posts the messages of a turn and follows it to its end. */
export async function* runTurn(
  link: OwnerLink,
  turn: { readonly sessionId: string; readonly mode: StreamMode; readonly body: object },
): AsyncGenerator<StreamedEvent> {
  const request: OwnerRequest = {
    method: 'POST',
    path: `${sessionPath(turn.sessionId)}/turns`,
    body: { ...turn.body, stream: turn.mode },
    // With the key, a request whose answer got lost can be made again: it finds the turn that it began.
    headers: { 'idempotency-key': randomUUID() },
  }
  if (turn.mode === 'none') yield* receiveWhole(link, request)
  else yield* followStream(link, turn.sessionId, request)
}

/** Follows the turn that is under way, from the cursor on. */
export function attachTurn(link: OwnerLink, sessionId: string, after: string): AsyncGenerator<StreamedEvent> {
  return followStream(link, sessionId, eventsAfter(sessionId, after))
}

function eventsAfter(sessionId: string, cursor: string): OwnerRequest {
  return { method: 'GET', path: `${sessionPath(sessionId)}/events?after=${encodeURIComponent(cursor)}` }
}

async function* followStream(link: OwnerLink, sessionId: string, first: OwnerRequest): AsyncGenerator<StreamedEvent> {
  const losses: unknown[] = []
  let request = first
  for (let attempt = 1; attempt <= MOST_ATTEMPTS_IN_SILENCE; attempt += 1) {
    for await (const received of receive(link, request, losses)) {
      losses.length = 0
      attempt = 0
      if (received.id !== '') request = eventsAfter(sessionId, received.id)
      const streamed = toStreamedEvent(received)
      yield streamed
      if (streamed.event?.event === 'turn_stop') return
    }
    await reconnect(link, losses)
  }
  throw lostTouch(losses)
}

async function* receiveWhole(link: OwnerLink, request: OwnerRequest): AsyncGenerator<StreamedEvent> {
  const losses: unknown[] = []
  for (let attempt = 1; attempt <= MOST_ATTEMPTS_IN_SILENCE; attempt += 1) {
    const response = await orLoss(link.request(request), losses)
    const body = response && !isClosing(response) ? await orLoss(readWhole(response), losses) : undefined
    if (body !== undefined) {
      yield* toTurnEvents(turnAnswer.parse(body)).map((event) => ({ json: event, event }))
      return
    }
    await reconnect(link, losses)
  }
  throw lostTouch(losses)
}

async function readWhole(response: OwnerResponse): Promise<unknown> {
  await refuseFailure(response)
  return await response.json()
}

/** The events of one connection. It ends without a word when the connection does. */
async function* receive(link: OwnerLink, request: OwnerRequest, losses: unknown[]): AsyncGenerator<SseEvent> {
  const response = await orLoss(link.request(request), losses)
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

/** A server that is about to stop refuses with 503; the next owner takes the turn up. */
function isClosing(response: OwnerResponse): boolean {
  return response.status === 503
}

async function orLoss<T>(attempt: Promise<T>, losses: unknown[]): Promise<T | undefined> {
  try {
    return await attempt
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    losses.push(error)
    return undefined
  }
}

async function reconnect(link: OwnerLink, losses: unknown[]): Promise<void> {
  losses.push(new Error('The stream ended before the turn did.'))
  await orLoss(link.reconnect(), losses)
}

function lostTouch(losses: readonly unknown[]): CommandFailure {
  return new CommandFailure(
    'The connection was lost. The turn may still run: look with `polylogue sessions show`.',
    1,
    {
      cause: losses[0],
    },
  )
}

/** The id of a delta is `<step>.<block>.<offset>`. */
const BLOCK = /^\d+\.\d+(?=\.)/

function toStreamedEvent({ id, event, data }: SseEvent): StreamedEvent {
  const json = parseObject(data)
  if (!json) throw new CommandFailure('The server sent an event that is not a JSON object.')
  const named = { event, ...json }
  const known = turnEvent.safeParse(named)
  const block = BLOCK.exec(id)?.[0]
  return { json: named, ...(known.success && { event: known.data }), ...(block !== undefined && { block }) }
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
