import { describe, expect, it } from 'vitest'
import { collectParts, playAnswer } from './answer-player.ts'
import type { Answer } from './eval-task.ts'

const request = { system: 'You work in /home/a.', opening: 'Fix it.', answers: 0, results: '' }
const play = (answer: Answer, more: Partial<typeof request> = {}) =>
  playAnswer(new Map([['Fix it.', [answer]]]), { ...request, ...more })

describe('an answer written by hand', () => {
  it('is given when the request holds what it relies on, with what its patterns captured', () => {
    const answer: Answer = {
      told: [/work in (\S+)\./],
      sees: ['found', /line (\d+)/],
      says: 'Next.',
      calls: [{ name: 'Read', input: { path: '$1/a', offset: 3, note: '$2' } }],
    }
    expect(play(answer, { results: 'found at line 7' })).toEqual({
      says: 'Next.',
      calls: [{ name: 'Read', input: { path: '/home/a/a', offset: 3, note: '7' } }],
    })
  })

  it.each([
    ['the result lacks a text', { sees: ['gone'] }],
    ['the prompt lacks a text', { told: [/nowhere/] }],
    ['the result has what must not be there', { misses: ['shown'] }],
  ])('is not given when %s', (_, answer) => {
    expect(play({ ...answer, calls: [{ name: 'Read', input: {} }] }, { results: 'shown' })).toEqual({
      says: expect.stringMatching(/^I give up\. I (expected|did not expect)/),
      calls: [],
    })
  })

  it('ends with the part, and belongs to one opening', () => {
    expect(play({ says: 'Done.' }, { answers: 1 }).says).toBe('I give up. I have nothing left to say.')
    expect(play({ says: 'Done.' }, { opening: 'Hi' }).says).toBe('I give up. I do not know this task.')
  })
})

it('parts are those of the tasks and of their sub-agents', () => {
  const task = { name: 'a', about: '', prompt: 'one', files: {}, answers: [], errands: { two: [{ says: 'x' }] } }
  expect([...collectParts([task]).keys()]).toEqual(['one', 'two'])
})
