import { describe, expect, it } from 'vitest'
import { joinReplies, readQuestions, readReply } from './questions.ts'

const options = [{ label: 'Red' }, { label: 'Blue' }]
const single = { question: 'Which?', options, multiSelect: false }
const multi = { ...single, multiSelect: true }
const open = { question: 'Why?', options: [], multiSelect: false }

describe('a typed line', () => {
  it.each([
    ['a number', single, '2', 'Blue'],
    ['words', single, 'neither', 'neither'],
    ['several numbers', multi, '1, 2', 'Red, Blue'],
    ['a number twice', multi, '1 1', 'Red'],
    ['a number where there is nothing to choose from', open, '2', '2'],
  ])('answers with %s', (_name, question, line, expected) => {
    expect(readReply(question, line)).toBe(expected)
  })

  it.each([
    ['is empty', open, ''],
    ['names no option', single, '3'],
    ['names none with 0', multi, '0'],
    ['names two where one may be chosen', single, '1 2'],
  ])('is no answer when it %s', (_name, question, line) => {
    expect(readReply(question, line)).toBeUndefined()
  })
})

describe('questions', () => {
  it('include what was left out', () => {
    expect(readQuestions({ questions: [{ question: 'Why?' }] })).toEqual([open])
  })

  it.each([{}, { questions: [] }, { questions: [{ question: '' }] }, 'x'])(
    'of no known shape are asked whole: %j',
    (input) => {
      expect(readQuestions(input)).toEqual([{ question: JSON.stringify(input), options: [], multiSelect: false }])
    },
  )

  it('are repeated with their answers when there are several', () => {
    expect(joinReplies([single], ['Red'])).toBe('Red')
    expect(joinReplies([single, open], ['Red', 'because'])).toBe('Which? Red\nWhy? because')
  })
})
