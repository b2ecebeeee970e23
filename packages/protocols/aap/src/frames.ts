import type { BlockDelta } from '@polylogue/engine'
import type { WireEvent } from './wire.ts'

/**
 * Server-sent events. The name stands in `event:` and once more in the data, so that clients of either reading work;
 * a blank line ends every event. JSON has no raw line breaks, so nothing in the data can end a line early.
 */
export function eventFrame(id: string, event: WireEvent): string {
  return `event: ${event.event}\ndata: ${JSON.stringify(event)}\nid: ${id}\n\n`
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
  return `${head}${JSON.stringify(text)}}\nid: ${stepSeq}.${block}.${offset}\n\n`
}

/** A comment: clients skip it, and a named event in the middle of a text would cut it in two. */
export const HEARTBEAT = ': ping\n\n'
