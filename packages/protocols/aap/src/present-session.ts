import { SegmentReader, type Recorded } from '@polylogue/engine'
import { createSseReader, type FrameSink } from '@polylogue/kit'
import { DeltaSteps } from './delta-steps.ts'
import type { ReadBlob } from './images.ts'
import { StreamPresenter } from './stream-presenter.ts'

/** One server-sent event. */
export interface PresentedEvent {
  readonly name: string
  readonly id: string
  readonly body: unknown
}

/**
 * Shows a log as a client gets it that follows the session with `stream=delta`. Takes the events in order from the first;
 * text comes whole, because deltas are not recorded.
 */
export function presentSession(readBlob: ReadBlob): (recorded: Recorded) => Promise<readonly PresentedEvent[]> {
  let frames: Promise<string>[] = []
  const sink: FrameSink = {
    send: (frame) => void frames.push(Promise.resolve(frame)),
    sendLater: (frame) => void frames.push(frame),
  }
  const steps = new DeltaSteps({ sink, onLost: () => undefined })
  const presenter = new StreamPresenter(sink, steps, readBlob)
  const reader = new SegmentReader({ presenter, onEnd: () => 'continue', onClosed: () => undefined })
  const sse = createSseReader()
  return async (recorded) => {
    frames = []
    reader.recorded(recorded)
    const text = (await Promise.all(frames)).join('')
    return sse.push(text).map(({ event, id, data }) => ({ name: event, id, body: JSON.parse(data) as unknown }))
  }
}
