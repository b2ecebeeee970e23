import type { Tool } from '@polylogue/engine'
import { calls, createQuestionTool, type FakeStep } from '@polylogue/testkit'

/** Asks the user, under the name that clients know. */
export const createAskTool = (): Tool => ({ ...createQuestionTool(), name: 'AskUserQuestion' })

const QUESTIONS = [
  { question: 'Which colour?', options: [{ label: 'Red' }, { label: 'Blue' }] },
  { question: 'Which sizes?', options: [{ label: 'S' }, { label: 'M' }, { label: 'L' }], multiSelect: true },
]

/** The model asks one question, or two of which the second takes several options. */
export const asks = (id: string, count: 1 | 2 = 1): FakeStep[number] =>
  calls(id, 'AskUserQuestion', { questions: QUESTIONS.slice(0, count) })
