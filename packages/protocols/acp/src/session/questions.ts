import type { JsonObject } from '@polylogue/engine'
import { z } from 'zod'

/** The result that the model gets when no client answers. */
export const USER_UNAVAILABLE = '(user unavailable)'

export interface Question {
  readonly question: string
  readonly header?: string | undefined
  /** The choices. Empty: any text is an answer. */
  readonly options: readonly string[]
  readonly isMultiple: boolean
}

const option = z.union([z.string(), z.object({ label: z.string() }).transform(({ label }) => label)])
const question = z
  .object({
    question: z.string(),
    header: z.string().optional(),
    options: z.array(option).default([]),
    multiSelect: z.boolean().default(false),
  })
  .transform(({ multiSelect, ...rest }): Question => ({ ...rest, isMultiple: multiSelect }))
const asked = z.union([
  z.object({ questions: z.array(question).min(1) }).transform(({ questions }) => questions),
  question.transform((only) => [only]),
])

/** The questions of one call. Input that does not fit the schema is asked as JSON text. */
export function questionsOf(input: JsonObject): readonly Question[] {
  const parsed = asked.safeParse(input)
  if (parsed.success) return parsed.data
  return [{ question: JSON.stringify(input), options: [], isMultiple: false }]
}

/** The result that the model gets: one answer as it is, several with their questions. */
export function joinAnswers(questions: readonly Question[], answers: readonly string[]): string {
  if (questions.length === 1) return answers[0] ?? USER_UNAVAILABLE
  return questions.map(({ question }, index) => `${question}\n${answers[index] ?? USER_UNAVAILABLE}`).join('\n\n')
}
