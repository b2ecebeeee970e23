import type { BlockDelta } from '@polylogue/engine'
import { toJsonLine, toSseFrame } from '@polylogue/kit'
import type { WireEvent } from './wire.ts'

export type DeltaParts = Pick<BlockDelta, 'type' | 'text' | 'stepSeq' | 'block' | 'offset'>

/** The name is in `event:` and in the data: clients may read either. */
export function eventFrame(id: string, event: WireEvent): string {
  return toSseFrame({ event: event.event, data: toJsonLine(event), id })
}

/** The hot path: one string per delta, and only the text is escaped. The id holds the offset where the text ends. */
export function deltaFrame({ type, text, stepSeq, block, offset }: DeltaParts): string {
  const head =
    type === 'text.delta'
      ? 'event: text_delta\ndata: {"event":"text_delta","delta":'
      : 'event: thinking_delta\ndata: {"event":"thinking_delta","delta":'
  return `${head}${toJsonLine(text)}}\nid: ${stepSeq}.${block}.${offset + text.length}\n\n`
}

let lastDelta: BlockDelta | undefined
let lastFrame = ''

/** All readers of a session get a delta one after the other, so one cached frame serves them all. */
export function wholeDeltaFrame(delta: BlockDelta): string {
  if (delta === lastDelta) return lastFrame
  lastDelta = delta
  lastFrame = deltaFrame(delta)
  return lastFrame
}
