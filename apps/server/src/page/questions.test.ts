import { describe, expect, it } from 'vitest'
import { answerText, readQuestions } from './assets/questions.js'

const reply = (chosen: string[], words = '') => ({ chosen, words })

describe('readQuestions', () => {
  it('reads what a model asks', () => {
    const options = [{ label: 'Red', description: 'warm' }, { label: 'Blue' }]
    expect(
      readQuestions({ questions: [{ header: 'Colour', question: 'Which?', options, multiSelect: true }] }),
    ).toEqual([
      {
        header: 'Colour',
        question: 'Which?',
        options: [
          { label: 'Red', description: 'warm' },
          { label: 'Blue', description: '' },
        ],
        isMulti: true,
      },
    ])
  })

  it.each([null, 'x', {}, { questions: [] }, { questions: [7] }, { questions: [{ options: [] }] }])(
    'asks %j as it is',
    (input) => {
      expect(readQuestions(input)).toEqual([
        { header: '', question: JSON.stringify(input), options: [], isMulti: false },
      ])
    },
  )
})

describe('answerText', () => {
  const [single, multi] = [false, true].map((isMulti) => ({ header: '', question: 'Which?', options: [], isMulti }))
  if (!single || !multi) throw new Error('there are two')

  it.each([
    ['a choice', [single], [reply(['Red'])], 'Red'],
    ['words instead of a choice', [single], [reply(['Red'], ' none ')], 'none'],
    ['several choices', [multi], [reply(['Red', 'Blue'])], 'Red, Blue'],
    ['choices and words', [multi], [reply(['Red'], 'and more')], 'Red, and more'],
    ['nothing', [single], [reply([], '  ')], undefined],
    ['one of two', [single, multi], [reply(['Red'])], undefined],
    ['two', [single, multi], [reply(['Red']), reply(['Blue'])], 'Which? Red\nWhich? Blue'],
  ])('says %s', (_name, questions, replies, expected) => {
    expect(answerText(questions, replies)).toBe(expected)
  })
})
