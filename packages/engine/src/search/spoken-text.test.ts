import { describe, expect, it } from 'vitest'
import { decodeEvent } from '../events/codec.ts'
import { currentVersion } from '../events/upcast.ts'
import { spokenText, spokenTextIn } from './spoken-text.ts'

const rowOf = (event: { readonly type: string; readonly [field: string]: unknown }) => ({
  type: event.type,
  version: currentVersion(event.type),
  data: JSON.stringify(event),
})

const input = { type: 'input.admitted', inputId: 'i', turnId: 't', content: 'green tea' }
const answer = {
  type: 'step.answered',
  turnId: 't',
  stepId: 's',
  blocks: [{ type: 'text', text: 'boiling' }],
  finish: 'stop',
  usage: { inputTokens: 1, outputTokens: 1 },
  routes: {},
}
const ended = { type: 'step.ended', turnId: 't', stepId: 's', outcome: 'completed' }
const blocks = [
  { type: 'thinking', text: 'hm' },
  { type: 'text', text: 'one ' },
  { type: 'text', text: 'two' },
]

describe('the text of a stored event', () => {
  it.each([
    ['an input', input, 'green tea'],
    ['an input in parts', { ...input, content: [{ type: 'text', text: 'oolong' }] }, 'oolong'],
    ['an answer', answer, 'boiling'],
    ['an answer in blocks', { ...answer, blocks }, 'one two'],
    ['an answer without blocks', { ...answer, blocks: [] }, ''],
    ['a question of the engine', { ...answer, by: 'engine' }, ''],
    ['an answer of a sub-agent', { ...answer, loopId: 'l' }, ''],
    ['the end of a step', ended, ''],
    ['the end of an interrupted step', { ...ended, outcome: 'interrupted', partial: blocks }, 'one two'],
  ])('is the same as that of the decoded one: %s', (_, event, text) => {
    expect(spokenTextIn(rowOf(event))).toBe(text)
    expect(spokenText(decodeEvent(rowOf(event)))).toBe(text)
  })

  it.each([
    ['another type', { ...rowOf(input), type: 'step.answered', version: 2 }, 'but holds input.admitted'],
    ['a text that is a number', rowOf({ ...input, content: 1 }), 'is damaged'],
    ['a newer version', { ...rowOf(answer), version: 99 }, 'written by a newer Polylogue'],
    ['no JSON', { ...rowOf(input), data: '{' }, 'JSON'],
  ])('is refused when the row is damaged: %s', (_, row, reason) => {
    expect(() => spokenTextIn(row)).toThrow(reason)
  })
})
