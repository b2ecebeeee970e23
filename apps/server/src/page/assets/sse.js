// Server-sent events out of a fetched body. The browser's own EventSource can neither POST nor be ended by us at
// the last event of a turn.

/** @typedef {{ id: string, event: string, data: string }} SseEvent */

/**
 * @param {AsyncIterable<Uint8Array>} body
 * @returns {AsyncGenerator<SseEvent>}
 */
export async function* readSse(body) {
  const decoder = new TextDecoder()
  const parser = createSseParser()
  for await (const bytes of body) yield* parser.push(decoder.decode(bytes, { stream: true }))
}

/** @returns {{ push(chunk: string): SseEvent[] }} */
export function createSseParser() {
  let unfinishedLine = ''
  let endedInCarriageReturn = false
  let id = ''
  let event = ''
  /** @type {string[]} */
  let data = []

  /** @param {string} line @returns {SseEvent | undefined} */
  function takeLine(line) {
    if (line === '') {
      const complete = data.length > 0 ? { id, event: event || 'message', data: data.join('\n') } : undefined
      event = ''
      data = []
      return complete
    }
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'event') event = value
    else if (field === 'id') id = value
    else if (field === 'data') data.push(value)
    return undefined
  }

  return {
    push(chunk) {
      /** @type {SseEvent[]} */
      const events = []
      let start = endedInCarriageReturn && chunk.startsWith('\n') ? 1 : 0
      if (chunk !== '') endedInCarriageReturn = false
      for (const match of chunk.matchAll(/\r\n|\r|\n/g)) {
        if (match.index < start) continue
        const complete = takeLine(unfinishedLine + chunk.slice(start, match.index))
        if (complete) events.push(complete)
        unfinishedLine = ''
        start = match.index + match[0].length
        endedInCarriageReturn = match[0] === '\r' && start === chunk.length
      }
      unfinishedLine += chunk.slice(start)
      return events
    },
  }
}
