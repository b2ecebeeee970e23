import type { PermissionOption, RequestPermissionRequest } from '@agentclientprotocol/sdk'
import type { SessionId } from '@polylogue/engine'
import { isObject } from '../is-object.ts'
import type { Announcement } from '../projection/shown-call.ts'
import { textContent } from '../projection/tool-content.ts'
import { describeQuestion, spellOutQuestion, type Question } from './questions.ts'

const IN_WORDS = 'in-words'
const choiceId = (index: number): string => `choice-${index}`

/** A question as a permission request: a button per choice, and one for an answer in words. */
export function toButtons(
  asked: Question,
  { sessionId, toolCall }: { readonly sessionId: SessionId; readonly toolCall: Announcement },
): RequestPermissionRequest {
  const question = spellOutQuestion(asked)
  const choices = question.options.map(({ label }, index): PermissionOption => ({
    optionId: choiceId(index),
    name: label,
    kind: 'allow_once',
  }))
  const name = question.isMultiple ? 'Several, or something else…' : 'Something else…'
  return {
    sessionId,
    toolCall: {
      ...toolCall,
      title: question.question,
      content: [textContent(describeQuestion(question))],
    },
    options: [...choices, { optionId: IN_WORDS, name, kind: 'reject_once' }],
  }
}

export type Pressed = { readonly type: 'answer'; readonly text: string } | { readonly type: 'in-words' | 'none' }

/** Accepts the same two forms as the answer to a permission request. */
export function readPressed(answer: unknown, { options }: Question): Pressed {
  if (!isObject(answer)) return { type: 'none' }
  const { outcome } = answer
  const chosen = isObject(outcome) ? outcome : answer
  if (chosen['outcome'] !== 'selected') return { type: 'none' }
  if (chosen['optionId'] === IN_WORDS) return { type: 'in-words' }
  const found = options.find((_, index) => choiceId(index) === chosen['optionId'])
  return found === undefined ? { type: 'none' } : { type: 'answer', text: found.label }
}
