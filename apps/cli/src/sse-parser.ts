/**
 * Server-sent events as the HTML standard defines them: lines end in LF, CR or CRLF, chunks may be cut anywhere,
 * a blank line dispatches, comments and unknown fields are passed over, the last id stays in force.
 */
export interface SseEvent {
  /** The last id seen up to this event; empty before the first one. */
  readonly id: string
  readonly event: string
  readonly data: string
}

export interface SseParser {
  /** The events that this piece of text completes. */
  push(chunk: string): readonly SseEvent[]
}

// A tool result may carry images; what is longer than any body the server takes is not an event of ours.
const MAX_EVENT_LENGTH = 64 * 1024 * 1024

export function createSseParser(): SseParser {
  let unfinishedLine = ''
  let endedInCarriageReturn = false
  let isFirstLine = true
  let id = ''
  let event = ''
  let data: string[] = []
  let dataLength = 0

  function takeLine(line: string): SseEvent | undefined {
    if (line === '') return dispatch()
    const colon = line.indexOf(':')
    if (colon === 0) return undefined
    const field = colon === -1 ? line : line.slice(0, colon)
    const rest = colon === -1 ? '' : line.slice(colon + 1)
    const value = rest.startsWith(' ') ? rest.slice(1) : rest
    if (field === 'event') event = value
    else if (field === 'id' && !value.includes('\0')) id = value
    else if (field === 'data') {
      data.push(value)
      dataLength += value.length
      refuseEndless(dataLength)
    }
    return undefined
  }

  function dispatch(): SseEvent | undefined {
    const complete = data.length > 0 ? { id, event: event || 'message', data: data.join('\n') } : undefined
    event = ''
    data = []
    dataLength = 0
    return complete
  }

  return {
    push(chunk) {
      const events: SseEvent[] = []
      let start = endedInCarriageReturn && chunk.startsWith('\n') ? 1 : 0
      if (chunk !== '') endedInCarriageReturn = false
      for (;;) {
        const end = findLineEnd(chunk, start)
        if (end === -1) break
        let line = unfinishedLine + chunk.slice(start, end)
        if (isFirstLine && line.startsWith('\uFEFF')) line = line.slice(1)
        isFirstLine = false
        unfinishedLine = ''
        const complete = takeLine(line)
        if (complete) events.push(complete)
        endedInCarriageReturn = chunk[end] === '\r' && end + 1 === chunk.length
        start = chunk[end] === '\r' && chunk[end + 1] === '\n' ? end + 2 : end + 1
      }
      unfinishedLine += chunk.slice(start)
      refuseEndless(unfinishedLine.length)
      return events
    },
  }
}

function findLineEnd(text: string, from: number): number {
  const lineEnd = /[\r\n]/g
  lineEnd.lastIndex = from
  return lineEnd.exec(text)?.index ?? -1
}

function refuseEndless(length: number): void {
  if (length > MAX_EVENT_LENGTH) throw new Error('The server sent an event without end.')
}
