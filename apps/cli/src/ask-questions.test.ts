import { expect, it } from 'vitest'
import { formatQuestions } from './ask-questions.ts'

const HIDDEN = '\u202e\u200b\u001b]0;x\u0007\r\u0000\u{e0041}\u3164\u2215\u200d'
const SPELLED = '\\u202e\\u200b\\u001b]0;x\\u0007\\u000d\\u0000\\u{e0041}\\u3164\\u2215\\u200d'
const evil = (text: string): string => `${text}${HIDDEN}`

it('a question at a terminal spells out everything that a reader would not see', () => {
  const option = { label: evil('yes'), description: evil('all') }
  const input = { questions: [{ question: evil('Delete?'), header: evil('Files'), options: [option] }] }
  expect(formatQuestions({ input })).toEqual([`Files${SPELLED}: Delete?${SPELLED}`, `1. yes${SPELLED}: all${SPELLED}`])
})
