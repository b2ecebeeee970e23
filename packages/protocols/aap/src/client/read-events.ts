import { createSseReader } from '@polylogue/kit/client'
import type { WireEvent } from '../wire.ts'
import { TurnCutOff } from './aap-error.ts'

/** An event and the cursor to resume after it; empty on servers that send none. */
export interface ReceivedEvent {
  readonly id: string
  readonly event: WireEvent
}

/**
 * The events of one response. Unknown events and fields pass through; `event` may stand in the frame, in its data, or in
 * both. Throws `TurnCutOff` at data that is no JSON object: what came before it was yielded.
 */
export async function* readEvents(response: Response): AsyncGenerator<ReceivedEvent> {
  if (response.body === null) return
  const events = createSseReader()
  const decoder = new TextDecoder()
  const body: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader()
  try {
    for (;;) {
      const { value } = await body.read()
      if (value === undefined) return
      for (const { id, event, data } of events.push(decoder.decode(value, { stream: true }))) {
        if (data === '') continue
        yield { id, event: toEvent(event, data) }
      }
    }
  } finally {
    // Rejects if the connection is broken already. A reader that has its last event does not care.
    await body.cancel().catch(() => undefined)
  }
}

function toEvent(name: string, data: string): WireEvent {
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch (error) {
    throw new TurnCutOff('The server sent an event that is not JSON.', { cause: error })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TurnCutOff('The server sent an event that is not an object.')
  }
  const named = { ...(name !== 'message' && { event: name }), ...value }
  if (!('event' in named) || typeof named.event !== 'string')
    throw new TurnCutOff('The server sent an event without a name.')
  // Names and fields that we do not know are ignored where events are used.
  return named as WireEvent
}
