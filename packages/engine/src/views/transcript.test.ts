import { describe, expect, it } from 'vitest'
import { asRecorded, given } from '@polylogue/testkit'
import { asEntryId, type RecordedEvent } from '../index.ts'
import { Transcript } from './transcript.ts'

const { call, text } = given
const BEGUN = [
  given.created(),
  given.admitted('i', 't', 'go'),
  given.turnStarted('t', 'i'),
  given.stepStarted('t', 's'),
]

function transcriptOf(events: readonly RecordedEvent[]) {
  const transcript = new Transcript()
  for (const recorded of asRecorded(events)) transcript.apply(recorded)
  return transcript.messages()
}

describe('the transcript', () => {
  it('shows seed, inputs, answers and results', () => {
    const events: RecordedEvent[] = [
      given.created(),
      { type: 'session.seeded', entryId: asEntryId('seed'), messages: [{ role: 'system', text: 'Be kind.' }] },
      ...BEGUN.slice(1),
      given.answered('t', 's', text('I look'), call('a', 'look')),
      given.callSettled('t', 'a', { status: 'denied', output: 'Tool call denied' }),
    ]
    expect(transcriptOf(events)).toEqual([
      { role: 'system', text: 'Be kind.' },
      { role: 'user', content: 'go' },
      { role: 'assistant', content: [text('I look'), call('a', 'look')] },
      { role: 'tool', toolCallId: 'a', content: 'Tool call denied' },
    ])
  })

  it.each(['cancelled', 'failed', 'interrupted'] as const)(
    'shows the text of a step that was %s, without its thinking',
    (outcome) => {
      expect(
        transcriptOf([
          ...BEGUN,
          given.stepEnded('t', 's', { outcome, partial: [{ type: 'thinking', text: 'hm' }, text('half')] }),
        ]),
      ).toEqual([
        { role: 'user', content: 'go' },
        { role: 'assistant', content: [text('half')] },
      ])
    },
  )

  it('shows no empty answer and no input whose turn has not begun', () => {
    expect(transcriptOf([...BEGUN, given.answered('t', 's'), given.admitted('i2', 't2')])).toEqual([
      { role: 'user', content: 'go' },
    ])
  })
})
