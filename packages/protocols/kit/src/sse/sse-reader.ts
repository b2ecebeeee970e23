import { createParser } from 'eventsource-parser'

export interface SseEvent {
  /** The last id up to this event; empty before the first one. */
  readonly id: string
  readonly event: string
  readonly data: string
}

export interface SseReader {
  /** The events that this piece of text completes. Throws when an event is too long. */
  push(chunk: string): readonly SseEvent[]
}

// A tool result may carry images. No event of ours is longer than the largest body that the server accepts.
const MAX_EVENT_LENGTH = 64 * 1024 * 1024

/** Reads server-sent events as a browser does: the last id stays in force, and an event without a name is `message`. */
export function createSseReader(): SseReader {
  let id = ''
  let events: SseEvent[] = []
  const parser = createParser({
    maxBufferSize: MAX_EVENT_LENGTH,
    onId: (next) => (id = next),
    onEvent: ({ event, data }) => events.push({ id, event: event || 'message', data }),
    onError(error) {
      if (error.type === 'max-buffer-size-exceeded') throw new Error('The server sent an event without end.')
    },
  })
  return {
    push(chunk) {
      events = []
      parser.feed(chunk)
      return events
    },
  }
}
