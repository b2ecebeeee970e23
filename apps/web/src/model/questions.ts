/** What a tool asks the user, in the shape of `AskUserQuestion`. Any other shape is one question answered in words. */
import { isObject } from './http.ts'

export interface Question {
  readonly question: string
  readonly options: readonly { readonly label: string; readonly description?: string }[]
  readonly multiSelect: boolean
}

export function questionsOf(input: unknown): readonly Question[] {
  const listed = isObject(input) ? input['questions'] : undefined
  const questions = Array.isArray(listed) ? listed.filter(isObject).map(toQuestion) : []
  return questions.length > 0 ? questions : [{ question: wordsOf(input), options: [], multiSelect: false }]
}

function toQuestion(given: { readonly [name: string]: unknown }): Question {
  const { question, options, multiSelect } = given
  const offered = Array.isArray(options) ? options.filter(isObject) : []
  return {
    question: typeof question === 'string' ? question : '',
    options: offered.map(({ label, description }) => ({
      label: typeof label === 'string' ? label : '',
      ...(typeof description === 'string' && { description }),
    })),
    multiSelect: multiSelect === true,
  }
}

function wordsOf(input: unknown): string {
  const first = isObject(input) ? Object.values(input).find((value) => typeof value === 'string') : undefined
  return typeof first === 'string' ? first : JSON.stringify(input)
}
