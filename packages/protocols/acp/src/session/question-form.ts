import type { CreateElicitationRequest, ElicitationPropertySchema, EnumOption } from '@agentclientprotocol/sdk'
import type { SessionId, ToolCallId } from '@polylogue/engine'
import type { AcpProfile } from '../deps.ts'
import { isObject } from '../is-object.ts'
import { choiceShownAs, spellOutQuestion, type Choice, type Question } from './questions.ts'

export interface FormTarget {
  readonly sessionId: SessionId
  readonly toolCallId: ToolCallId
  readonly profile: AcpProfile
}

/** In profile `standard`, a question with choices also has a field for an answer in own words. */
export function toForm(asked: Question, { sessionId, toolCallId, profile }: FormTarget): CreateElicitationRequest {
  const question = spellOutQuestion(asked)
  const isOpen = profile === 'standard' && question.options.length > 0
  return {
    sessionId,
    toolCallId,
    mode: 'form',
    message: question.question,
    requestedSchema: {
      type: 'object',
      properties: { answer: toProperty(question, profile), ...(isOpen && { other: OTHER }) },
      required: isOpen ? [] : ['answer'],
    },
  }
}

const OTHER: ElicitationPropertySchema = {
  type: 'string',
  title: 'Something else',
  description: 'An answer in your own words',
}

function toProperty({ header, options, isMultiple }: Question, profile: AcpProfile): ElicitationPropertySchema {
  const title = header === undefined ? {} : { title: header }
  if (options.length === 0) return { type: 'string', ...title }
  if (profile === 'seed') {
    const choices = { type: 'string', enum: options.map(({ label }) => label) } as const
    return isMultiple ? { type: 'array', items: choices, ...title } : { ...choices, ...title }
  }
  const choices = options.map(toEnumOption)
  return isMultiple
    ? { type: 'array', items: { anyOf: choices }, ...title }
    : { type: 'string', oneOf: choices, ...title }
}

const toEnumOption = ({ label, description }: Choice): EnumOption => ({
  const: label,
  title: label,
  ...(description !== undefined && { description }),
})

/** Own words replace a single choice and are added to several. */
export function readForm(answer: unknown, question: Question): string | undefined {
  const { isMultiple } = question
  if (!isObject(answer) || answer['action'] !== 'accept' || !isObject(answer['content'])) return undefined
  const { answer: value, other } = answer['content']
  const words = notBlank(other)
  if (!isMultiple && words !== undefined) return words
  const chosen = (Array.isArray(value) ? value : [value])
    .filter((item) => typeof item === 'string')
    .map((item) => choiceShownAs(item, question))
  return notBlank([...chosen, ...(words === undefined ? [] : [words])].join(', '))
}

export const notBlank = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined
