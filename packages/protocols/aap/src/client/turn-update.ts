import {
  wireEvent,
  wireTurnResponse,
  type WireContent,
  type WireEvent,
  type WireMessage,
  type WireTurnResponse,
} from '../wire.ts'
import type { ReceivedEvent } from './read-events.ts'

/** One event of a turn. */
export interface StreamedUpdate {
  /** As it came over the wire, unknown events and fields included. */
  readonly json: Readonly<Record<string, unknown>>
  /** Absent for an event that this client does not know. */
  readonly update?: TurnUpdate
  /** The block of a step that a piece of text belongs to. */
  readonly block?: string
}

/** What a turn's stream says, in our own words. */
export type TurnUpdate =
  | { readonly type: 'started' }
  /** `isWhole`: all of a block at once, not a piece of one. */
  | { readonly type: 'text' | 'thinking'; readonly text: string; readonly isWhole: boolean }
  | { readonly type: 'tool-call'; readonly toolCallId: string; readonly name: string; readonly input: unknown }
  | { readonly type: 'tool-result'; readonly toolCallId: string; readonly text: string }
  /** The server lost the place of this stream; the step is told again from its start. */
  | { readonly type: 'resync' }
  | { readonly type: 'stopped'; readonly outcome: StopOutcome; readonly error?: string }

/** `waiting`: an approval, a question or a client's tool must be answered first. */
export type StopOutcome = 'finished' | 'waiting' | 'token-limit' | 'refused' | 'cancelled' | 'failed'

/** The id of a delta is `<step>.<block>.<offset>`. */
const BLOCK = /^\d+\.\d+(?=\.)/

export function toStreamedUpdate({ id, event }: ReceivedEvent): StreamedUpdate {
  const known = wireEvent.safeParse(event)
  const block = BLOCK.exec(id)?.[0]
  return {
    json: { ...event },
    ...(known.success && { update: toTurnUpdate(known.data) }),
    ...(block !== undefined && { block }),
  }
}

/** An answer in mode `none`, as the events that the turn would have sent if its agent could stream. */
export function toStreamedUpdates(answer: WireTurnResponse): readonly StreamedUpdate[] {
  return toWireEvents(wireTurnResponse.parse(answer)).map((event) => ({ json: event, update: toTurnUpdate(event) }))
}

function toTurnUpdate(event: WireEvent): TurnUpdate {
  switch (event.event) {
    case 'session_start':
    case 'turn_start':
      return { type: 'started' }
    case 'text_delta':
      return { type: 'text', text: event.delta, isWhole: false }
    case 'thinking_delta':
      return { type: 'thinking', text: event.delta, isWhole: false }
    case 'text':
      return { type: 'text', text: event.text, isWhole: true }
    case 'thinking':
      return { type: 'thinking', text: event.thinking, isWhole: true }
    case 'tool_call':
      return { type: 'tool-call', toolCallId: event.toolCallId, name: event.name, input: event.input }
    case 'tool_result':
      return { type: 'tool-result', toolCallId: event.toolCallId, text: textOf(event.content) }
    case 'resync':
      return { type: 'resync' }
    case 'turn_stop':
      return { type: 'stopped', outcome: toOutcome(event), ...(event.error && { error: event.error.message }) }
  }
}

function toOutcome({ stopReason, cancelled }: Extract<WireEvent, { event: 'turn_stop' }>): StopOutcome {
  switch (stopReason) {
    case 'end_turn':
      return 'finished'
    case 'tool_use':
      return 'waiting'
    case 'max_tokens':
      return 'token-limit'
    case 'refusal':
      return 'refused'
    default:
      return cancelled === true ? 'cancelled' : 'failed'
  }
}

function textOf(content: WireContent): string {
  if (typeof content === 'string') return content
  return content.map((block) => (block.type === 'text' ? block.text : block.type === 'image' ? '[image]' : '')).join('')
}

function toWireEvents(answer: WireTurnResponse): readonly WireEvent[] {
  const { messages, sessionId: _sessionId, ...stop } = answer
  return [{ event: 'turn_start' }, ...messages.flatMap(toEvents), { event: 'turn_stop', ...stop }]
}

function toEvents(message: WireMessage): readonly WireEvent[] {
  if (message.role === 'tool') {
    return [{ event: 'tool_result', toolCallId: message.toolCallId, content: message.content }]
  }
  if (message.role !== 'assistant') return []
  if (typeof message.content === 'string') return [{ event: 'text', text: message.content }]
  return message.content.flatMap((block): WireEvent[] => {
    switch (block.type) {
      case 'text':
        return [{ event: 'text', text: block.text }]
      case 'thinking':
        return [{ event: 'thinking', thinking: block.thinking }]
      case 'tool_use':
        return [{ event: 'tool_call', toolCallId: block.toolCallId, name: block.name, input: block.input }]
      case 'image':
        return []
    }
  })
}
