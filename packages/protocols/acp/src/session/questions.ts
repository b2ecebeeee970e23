import { spellOut, spellOutLine, type JsonObject } from '@polylogue/engine'
import { z } from 'zod'
import type { AcpProfile } from '../deps.ts'

export interface Choice {
  readonly label: string
  readonly description?: string | undefined
}

export interface Question {
  readonly question: string
  readonly header?: string | undefined
  /** Empty: any text is an answer. Otherwise too, in profile `standard`: the tool promises an answer in own words. */
  readonly options: readonly Choice[]
  readonly isMultiple: boolean
}

const option = z.union([
  z.string().transform((label): Choice => ({ label })),
  z.object({ label: z.string(), description: z.string().optional() }),
])
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

/** The answer that the model gets when the user gives none. */
export const unansweredIn = (profile: AcpProfile): string =>
  profile === 'seed'
    ? '(user unavailable)'
    : 'The user did not answer. Decide what is reasonable, and say what you decided.'

/** The result for the model: a single answer unchanged, several answers with their questions. */
export function joinAnswers(questions: readonly Question[], answers: readonly string[]): string {
  if (questions.length === 1) return answers[0] ?? ''
  return questions.map(({ question }, index) => `${question}\n${answers[index] ?? ''}`).join('\n\n')
}

/** The question with its choices, one per line. */
export function describeQuestion({ header, question, options }: Question): string {
  const heading = header === undefined ? question : `**${header}** ${question}`
  const lines = options.map(({ label, description }) => `- ${label}${description ? `: ${description}` : ''}`)
  return [heading, ...(lines.length > 0 ? ['', ...lines] : [])].join('\n')
}

/** What a person is shown: hidden characters are spelled out. Choices keep their order. */
export const spellOutQuestion = ({ question, header, options, isMultiple }: Question): Question => ({
  question: spellOut(question),
  ...(header !== undefined && { header: spellOutLine(header) }),
  options: options.map(({ label, description }) => ({
    label: spellOutLine(label),
    ...(description !== undefined && { description: spellOutLine(description) }),
  })),
  isMultiple,
})

/** The choice that was shown as this text, or the text itself: an answer in own words. */
export const choiceShownAs = (text: string, { options }: Question): string =>
  options.find(({ label }) => spellOutLine(label) === text)?.label ?? text
