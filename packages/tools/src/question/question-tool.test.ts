import type { JsonObject } from '@polylogue/engine'
import { createInvocation } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { createQuestionTool } from './question-tool.ts'

const tool = createQuestionTool()
const colour: JsonObject = {
  question: 'Which colour?',
  options: [{ label: 'Red' }, { label: 'Blue', description: 'Like the sea' }],
}

describe('AskUserQuestion', () => {
  it('is performed by the user, and nothing else runs it', async () => {
    const { performer, effect, kind, nature } = tool
    expect({ performer, effect, kind, nature }).toEqual({
      performer: 'user',
      effect: 'readonly',
      kind: 'question',
      nature: 'question',
    })
    await expect(tool.run(createInvocation(tool, { questions: [colour] }))).rejects.toThrow('answered by its user')
  })

  it('says that it is a question, and shows the first', async () => {
    const { input } = createInvocation(tool, { questions: [colour, { question: 'Why?' }] })
    expect(await tool.inspect?.(input, { cwd: '/nowhere', roots: [] })).toEqual({
      facts: { type: 'question' },
      preview: { title: 'Which colour?' },
    })
  })

  it('takes options, several choices, a header, and no options at all', () => {
    const questions = [
      colour,
      { question: 'Which sizes?', header: 'Size', options: [{ label: 'S' }], multiSelect: true },
    ]
    expect(tool.check({ questions })).toEqual({ ok: true, input: { questions } })
    expect(tool.check({ questions: [{ question: 'Why?' }] })).toEqual({
      ok: true,
      input: { questions: [{ question: 'Why?', options: [] }] },
    })
  })

  it.each<[JsonObject, string]>([
    [{}, 'questions: is missing'],
    [{ questions: [] }, 'questions: Too small: expected array to have >=1 items'],
    [{ questions: Array.from({ length: 5 }, () => colour) }, 'questions: Too big: expected array to have <=4 items'],
    [{ questions: [{ question: ' ' }] }, 'questions[0].question: must not be empty'],
    [
      { questions: [{ question: 'Why?', options: Array.from({ length: 9 }, (_, at) => ({ label: `${at}` })) }] },
      'questions[0].options: Too big: expected array to have <=8 items',
    ],
    [{ questions: [{ question: 'Why?', options: ['a'] }] }, 'questions[0].options[0]: must be an object'],
    [
      { questions: [{ question: 'Why?', options: [{ label: 'a' }, { label: 'a ' }] }] },
      'questions[0].options: labels must differ',
    ],
  ])('refuses an invalid question, case %#', (input, problem) => {
    expect(tool.check(input)).toEqual({ ok: false, problem })
  })
})
