// The questions of a call, and how a typed line answers them.
import { z } from 'zod'

const question = z.object({
  question: z.string().min(1),
  header: z.string().optional(),
  options: z.array(z.object({ label: z.string().min(1), description: z.string().optional() })).default([]),
  multiSelect: z.boolean().default(false),
})
const input = z.object({ questions: z.array(question).min(1) })

export type Question = z.output<typeof question>

/** An input that is no list of questions is asked as it is. */
export function readQuestions(value: unknown): readonly Question[] {
  const parsed = input.safeParse(value)
  if (parsed.success) return parsed.data.questions
  return [{ question: JSON.stringify(value), options: [], multiSelect: false }]
}

/** A line of option numbers chooses options; any other text is the answer itself. `undefined`: not a valid answer. */
export function readReply({ options, multiSelect }: Question, line: string): string | undefined {
  if (line === '') return undefined
  if (options.length === 0 || !/^\d+(?:[\s,]+\d+)*$/.test(line)) return line
  const numbers = [...new Set(line.split(/[\s,]+/).map(Number))]
  const chosen = numbers.map((number) => options[number - 1]?.label)
  if (chosen.includes(undefined) || (chosen.length > 1 && !multiSelect)) return undefined
  return chosen.join(', ')
}

export function joinReplies(questions: readonly Question[], replies: readonly string[]): string {
  if (questions.length === 1) return replies[0] ?? ''
  return questions.map(({ question: text }, index) => `${text} ${replies[index] ?? ''}`).join('\n')
}
