import { asToolCallId } from '@polylogue/engine'
import { expect, it } from 'vitest'
import { StreamPresenter } from './stream-presenter.ts'
import { MessageSteps } from './message-steps.ts'
import { parseFrames } from './test-support/parse-frames.ts'
import { callSettled } from './test-support/recorded-story.ts'

it('a result with an image waits for its bytes, and is sent in order', async () => {
  const frames: Promise<string>[] = []
  const sink = {
    send: (frame: string) => void frames.push(Promise.resolve(frame)),
    sendLater: (frame: Promise<string>) => void frames.push(frame),
  }
  const bytes = Buffer.from('iVBORw0KGgo=', 'base64')
  const presenter = new StreamPresenter(sink, new MessageSteps({ sink, onLost: () => undefined }), async () => ({
    mediaType: 'image/png',
    bytes,
  }))
  const source = { type: 'blob', hash: 'h', mediaType: 'image/png' } as const
  const settled = callSettled('a', {
    toolCallId: asToolCallId('a'),
    output: [
      { type: 'image', source },
      { type: 'text', text: 'x' },
    ],
  })
  if (settled.type !== 'tool-call.settled') throw new Error('not a settled call')
  presenter.callSettled({ seq: 7 }, settled)
  presenter.segmentEnded(8, { type: 'ended', outcome: 'finished' })
  expect(parseFrames((await Promise.all(frames)).join('')).map(({ id, data }) => [id, data])).toEqual([
    [
      '7',
      {
        event: 'tool_result',
        toolCallId: 'a',
        content: [
          { type: 'image', url: 'data:image/png;base64,iVBORw0KGgo=' },
          { type: 'text', text: 'x' },
        ],
      },
    ],
    ['8', { event: 'turn_stop', stopReason: 'end_turn' }],
  ])
})
