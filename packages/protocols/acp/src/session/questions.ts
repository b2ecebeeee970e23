import type { JsonObject } from '@polylogue/engine'
import { z } from 'zod'

/** What the model reads when nobody could answer. */
export const USER_UNAVAILABLE = '(user unavailable)'

export interface Question {
  readonly question: string
  readonly header?: string | undefined
  /** What may be chosen from; empty: an answer in words. */
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

/** The questions of one call; a call that asks in a way of its own is asked as it is written. */
export function questionsOf(input: JsonObject): readonly Question[] {
  const parsed = asked.safeParse(input)
  if (parsed.success) return parsed.data
  return [{ question: JSON.stringify(input), options: [], isMultiple: false }]
}

/** What the model reads: one answer as it is, several with their questions. */
export function joinAnswers(questions: readonly Question[], answers: readonly string[]): string {
  if (questions.length === 1) return answers[0] ?? USER_UNAVAILABLE
  return questions.map(({ question }, index) => `${question}\n${answers[index] ?? USER_UNAVAILABLE}`).join('\n\n')
}
