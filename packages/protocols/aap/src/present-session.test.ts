import type { Recorded } from '@polylogue/engine'
import { expect, it } from 'vitest'
import { presentSession } from './present-session.ts'
import { parseFrames } from './test-support/parse-frames.ts'
import {
  callSettled,
  stepAnswered,
  stepEnded,
  stepStarted,
  story,
  text,
  thinking,
  toolCall,
  turnEnded,
  turnStarted,
} from './test-support/recorded-story.ts'
import { presentStory } from './test-support/present-story.ts'

const LOG = story(
  turnStarted,
  stepStarted(),
  stepAnswered([thinking('hm'), text('I will'), toolCall('c1')]),
  callSettled('c1'),
  stepEnded(),
  stepStarted(2),
  stepAnswered([text('done')], 2),
  stepEnded(undefined, 2),
  turnEnded(),
)

it('shows each event as a client gets it that follows the session from its start', async () => {
  const present = presentSession(async () => undefined)
  const shown = []
  for (const recorded of LOG as readonly Recorded[]) shown.push(await present(recorded))
  expect(shown.map((messages) => messages.map(({ name }) => name))).toEqual([
    ['turn_start'],
    [],
    ['thinking_delta', 'text_delta', 'tool_call'],
    ['tool_result'],
    [],
    [],
    ['text_delta'],
    [],
    ['turn_stop'],
  ])
  const streamed = parseFrames(presentStory(LOG, 'delta').text)
  expect(shown.flat()).toEqual(streamed.map(({ event, id, data }) => ({ name: event, id, body: data })))
})

it('shows an image of a result with its bytes', async () => {
  const present = presentSession(async () => ({ mediaType: 'image/png', bytes: Buffer.from('png') }))
  const image = { type: 'image', source: { type: 'blob', hash: 'h', mediaType: 'image/png' } } as const
  const log = story(turnStarted, stepStarted(), stepAnswered([toolCall('c1')]), callSettled('c1', { output: [image] }))
  const shown = []
  for (const recorded of log as readonly Recorded[]) shown.push(...(await present(recorded)))
  expect(shown.at(-1)).toMatchObject({
    name: 'tool_result',
    body: { content: [{ type: 'image', url: `data:image/png;base64,${Buffer.from('png').toString('base64')}` }] },
  })
})
