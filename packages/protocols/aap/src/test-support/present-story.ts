import { SegmentReader } from '@polylogue/engine'
import type { FrameSink } from '@polylogue/kit'
import { parseEventCursor } from '../cursors.ts'
import { DeltaSteps } from '../delta-steps.ts'
import { MessageSteps } from '../message-steps.ts'
import { StreamPresenter } from '../stream-presenter.ts'
import type { StoryItem } from './recorded-story.ts'

export interface Told {
  readonly text: string
  readonly isLost: boolean
}

/** What a stream says of a log: from its start, or after a cursor, as the events endpoint reads it. */
export function presentStory(items: readonly StoryItem[], mode: 'delta' | 'message', after?: string): Told {
  const frames: string[] = []
  const sink: FrameSink = {
    send: (frame) => void frames.push(frame),
    sendLater: () => {
      throw new Error('nothing here has to wait')
    },
  }
  const cursor = after === undefined ? undefined : parseEventCursor(after)
  let isLost = false
  const position = { sink, cursor, onLost: () => void (isLost = true) }
  const steps = mode === 'delta' ? new DeltaSteps(position) : new MessageSteps(position)
  const presenter = new StreamPresenter(sink, steps, async () => undefined)
  const reader = new SegmentReader({ presenter, cursor, onEnd: () => 'continue', onClosed: () => undefined })
  for (const item of items) {
    if ('block' in item) reader.delta(item)
    else if (item.seq >= (cursor?.seq ?? 0)) reader.recorded(item)
  }
  return { text: frames.join(''), isLost }
}
