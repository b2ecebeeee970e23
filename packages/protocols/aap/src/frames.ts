import type { BlockDelta } from '@polylogue/engine'
import type { WireEvent } from './wire.ts'

/**
 * Server-sent events. The name stands in `event:` and once more in the data, so that clients of either reading work;
 * a blank line ends every event.
 */
export function eventFrame(id: string, event: WireEvent): string {
  return `event: ${event.event}\ndata: ${toJsonLine(event)}\nid: ${id}\n\n`
}

/** The hot path: one string per delta, and only the text is escaped. `offset` is where the text ends. */
export function deltaFrame(
  type: BlockDelta['type'],
  text: string,
  stepSeq: number,
  block: number,
  offset: number,
): string {
  const head =
    type === 'text.delta'
      ? 'event: text_delta\ndata: {"event":"text_delta","delta":'
      : 'event: thinking_delta\ndata: {"event":"thinking_delta","delta":'
  return `${head}${toJsonLine(text)}}\nid: ${stepSeq}.${block}.${offset}\n\n`
}

let lastDelta: BlockDelta | undefined
let lastFrame = ''

/** A delta is given to all readers of a session in a row: they share its frame, and it is in memory once. */
export function wholeDeltaFrame(delta: BlockDelta): string {
  if (delta === lastDelta) return lastFrame
  const { type, text, stepSeq, block, offset } = delta
  lastDelta = delta
  lastFrame = deltaFrame(type, text, stepSeq, block, offset + text.length)
  return lastFrame
}

/** A comment: clients skip it, and a named event in the middle of a text would cut it in two. */
export const HEARTBEAT = ': ping\n\n'

// JSON has no raw CR or LF. These end a line too for readers that go by Unicode instead of the standard.
const LINE_ENDS = /[\u0085\u2028\u2029]/g

function toJsonLine(value: WireEvent | string): string {
  return JSON.stringify(value).replace(LINE_ENDS, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
