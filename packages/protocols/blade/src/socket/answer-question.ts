/** Turns the answer of a Blade client into an engine answer. */
import { type CallAnswer, type JsonObject } from '@polylogue/engine'
import { z } from 'zod'
import { APPROVAL_CHOICES } from '../projection/approval-question.ts'
import { toGivenAnswer } from '../projection/given-answer.ts'
import type { OpenQuestion } from '../projection/open-question.ts'
import type { AskUserAnswer } from '../wire.ts'
import { SocketRefusal } from './errors.ts'

const questions = z.object({
  questions: z
    .array(
      z.object({
        question: z.string(),
        options: z.array(z.object({ label: z.string() })).default([]),
        multiSelect: z.boolean().default(false),
      }),
    )
    .min(1),
})

type Question = z.output<typeof questions>['questions'][number]

/** For a tool with another input shape: one question with a free answer. */
const FREE: readonly Question[] = [{ question: '', options: [], multiSelect: false }]

/** `message` replaces the choices in the text for the model, unless it is empty. */
export function toCallAnswer(open: OpenQuestion, given: AskUserAnswer, message: string): CallAnswer {
  const answer = toGivenAnswer(given)
  const { toolCallId } = open
  if (open.type === 'question') {
    const chosen = describe(parseQuestions(open.input), given)
    return { type: 'result', toolCallId, content: message.trim() === '' ? chosen : message, answer }
  }
  const reason = given.custom['0']?.trim()
  if (reason !== undefined && reason !== '') return { type: 'approval', toolCallId, granted: false, reason, answer }
  const [index, ...more] = given.selections['0'] ?? []
  const choice = more.length === 0 && index !== undefined ? APPROVAL_CHOICES[index] : undefined
  if (choice === undefined) throw incomplete('choose one of the options')
  if (choice === 'reject') return { type: 'approval', toolCallId, granted: false, answer }
  // The option promises all calls of the tool. Where the engine does not offer that, the call is allowed once.
  const scope = choice === 'session' ? { scope: choice, offer: 'tool' } : { scope: choice }
  return { type: 'approval', toolCallId, granted: true, ...scope, answer }
}

function parseQuestions(input: JsonObject): readonly Question[] {
  const parsed = questions.safeParse(input)
  return parsed.success ? parsed.data.questions : FREE
}

/** The result that the model gets: one answer as it is, several with their questions. */
function describe(asked: readonly Question[], { selections, custom }: AskUserAnswer): string {
  const lines = asked.map((question, index) => {
    const text = custom[`${index}`]?.trim() ?? ''
    const labels = (selections[`${index}`] ?? []).map((option) => labelOf(question, option, index))
    if (labels.length > 1 && !question.multiSelect) throw incomplete(`question ${index} takes one option`)
    if (labels.length === 0 && text === '') throw incomplete(`question ${index} has no answer`)
    const chosen = [...labels, ...(text === '' ? [] : [text])].join(', ')
    return asked.length === 1 ? chosen : `${question.question}\n${chosen}`
  })
  return lines.join('\n\n')
}

function labelOf({ options }: Question, option: number, index: number): string {
  const label = options[option]?.label
  if (label === undefined) throw incomplete(`question ${index} has no option ${option}`)
  return label
}

const incomplete = (message: string): SocketRefusal => new SocketRefusal('answer_incomplete', message)
