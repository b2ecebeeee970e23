import type {
  BlockDelta,
  Cursor,
  EventOf,
  SegmentEnd,
  SegmentPresenter,
  ShownCall,
  ToolCallPart,
} from '@polylogue/engine'
import type { FrameSink } from '@polylogue/kit'
import { formatEventCursor } from './cursors.ts'
import { encodeContent, imagesIn } from './encode-messages.ts'
import { eventFrame } from './frames.ts'
import { loadImageUrls, type ReadBlob } from './images.ts'
import { toTurnStop } from './turn-stop.ts'
import type { WireEvent } from './wire.ts'

/** Streams the steps of a segment. This is all in which the stream modes differ. */
export interface StepPresenter {
  started(seq: number, step: EventOf<'step.started'>): void
  delta(delta: BlockDelta): void
  answered(seq: number, step: EventOf<'step.answered'>): void
  ended(seq: number, step: EventOf<'step.ended'>): void
}

export class StreamPresenter implements SegmentPresenter {
  readonly #sink: FrameSink
  readonly #steps: StepPresenter
  readonly #readBlob: ReadBlob

  constructor(sink: FrameSink, steps: StepPresenter, readBlob: ReadBlob) {
    this.#sink = sink
    this.#steps = steps
    this.#readBlob = readBlob
  }

  segmentStarted(seq: number): void {
    this.#sink.send(eventFrame(`${seq}`, { event: 'turn_start' }))
  }

  stepStarted(seq: number, step: EventOf<'step.started'>): void {
    this.#steps.started(seq, step)
  }

  delta(delta: BlockDelta): void {
    this.#steps.delta(delta)
  }

  stepAnswered(seq: number, step: EventOf<'step.answered'>): void {
    this.#steps.answered(seq, step)
  }

  stepEnded(seq: number, step: EventOf<'step.ended'>): void {
    this.#steps.ended(seq, step)
  }

  callsWaiting(calls: readonly ShownCall[]): void {
    for (const { at, call } of calls) this.#sink.send(eventFrame(formatEventCursor(at), toCallEvent(call)))
  }

  callSettled(at: Cursor, call: EventOf<'tool-call.settled'>): void {
    const frame = (urls: Parameters<typeof encodeContent>[1]): string => {
      const content = encodeContent(call.output, urls)
      return eventFrame(formatEventCursor(at), { event: 'tool_result', toolCallId: call.toolCallId, content })
    }
    const images = imagesIn(call.output)
    if (images.length === 0) this.#sink.send(frame(() => ''))
    else this.#sink.sendLater(loadImageUrls(images, this.#readBlob).then(frame))
  }

  segmentEnded(seq: number, end: SegmentEnd): void {
    this.#sink.send(eventFrame(`${seq}`, { event: 'turn_stop', ...toTurnStop(end) }))
  }
}

/** One of several wire events that one recorded event becomes. */
export interface StepItem {
  readonly block: number
  readonly event: WireEvent
}

/** Only the last event has the bare `seq` as its id, so that a client that was cut off before it gets the rest. */
export function sendItems(sink: FrameSink, seq: number, items: readonly StepItem[]): void {
  for (const [index, { block, event }] of items.entries()) {
    sink.send(eventFrame(index === items.length - 1 ? `${seq}` : `${seq}.${block}.0`, event))
  }
}

/** The items after the last one that the client has seen; `undefined` if there is no such item. */
export function itemsAfter(items: readonly StepItem[], block: number): readonly StepItem[] | undefined {
  const seen = items.findIndex((item) => item.block === block)
  return seen === -1 ? undefined : items.slice(seen + 1)
}

export function toolCallItems({ blocks }: EventOf<'step.answered'>): StepItem[] {
  return blocks.flatMap((block, index) =>
    block.type === 'tool-call' ? [{ block: index, event: toCallEvent(block) }] : [],
  )
}

function toCallEvent({ toolCallId, name, input }: ToolCallPart): WireEvent {
  return { event: 'tool_call', toolCallId, name, input }
}
