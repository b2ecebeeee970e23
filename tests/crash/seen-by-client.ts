import type { ReaderHistory, SeenDelta, SeenEvent, SeenWhole } from '../checker/history.ts'
import type { Frame } from '../support/sse-parser.ts'

/** The recorded events that an event of the stream can represent. */
const TYPES: Readonly<Record<string, SeenEvent['types']>> = {
  turn_start: ['turn.started', 'turn.resumed'],
  text_delta: ['step.started', 'step.answered', 'step.ended'],
  thinking_delta: ['step.started', 'step.answered', 'step.ended'],
  tool_call: ['step.answered', 'approval.requested'],
  tool_result: ['tool-call.settled'],
  turn_stop: ['turn.paused', 'turn.ended'],
}

const EVENT_ID = /^(\d+)(?:\.(\d+)\.(\d+))?$/

/**
 * The events that a stream client saw, in the format of the checker. After a `resync` the client cannot continue its
 * history, so the events that follow count as those of a new client.
 */
export function toReaderHistories(frames: readonly Frame[], after: number): readonly ReaderHistory[] {
  const resync = frames.findIndex(({ event }) => event === 'resync')
  const own = resync === -1 ? frames : frames.slice(0, resync)
  const seen: SeenEvent[] = []
  const deltas: SeenDelta[] = []
  const wholes: SeenWhole[] = []
  for (const frame of own) {
    const { seq, block, offset } = parseId(frame)
    const types = TYPES[frame.event]
    if (seen.at(-1)?.seq !== seq) seen.push({ seq, ...(types && { types }) })
    const text = frame.data['delta']
    if (typeof text !== 'string') continue
    // A delta names where it ends. A text without such a place is that of the recorded event.
    if (offset === 0) wholes.push({ seq, text })
    else deltas.push({ stepSeq: seq, block, offset: offset - text.length, text })
  }
  const reader: ReaderHistory = { after, seen, deltas, wholes, isGapless: false }
  const point = frames[resync]
  return point === undefined ? [reader] : [reader, ...toReaderHistories(frames.slice(resync + 1), parseId(point).seq)]
}

export function parseId({ event, id }: Frame): {
  readonly seq: number
  readonly block: number
  readonly offset: number
} {
  const [, seq, block, offset] = EVENT_ID.exec(id ?? '') ?? []
  if (seq === undefined) throw new Error(`${event} has no id that says where it stands: ${String(id)}`)
  return { seq: Number(seq), block: Number(block ?? 0), offset: Number(offset ?? 0) }
}
