/**
 * An approval as clients of Blade see it: an `AskUserQuestion` that exists nowhere else. Its id is the call's with a
 * prefix that no call of a model begins with.
 */
import { spellOut, spellOutLine, type EventOf } from '@polylogue/engine'
import type { Json } from '../wire.ts'

export const ASK_TOOL = 'AskUserQuestion'
const PREFIX = 'ask_'

export const askIdOf = (toolCallId: string): string => PREFIX + toolCallId
/** The call that a question is about; `undefined` for an id that is no such question's. */
export const callOfAskId = (id: string): string | undefined =>
  id.startsWith(PREFIX) ? id.slice(PREFIX.length) : undefined

/** In the order in which they are shown. */
export const APPROVAL_CHOICES = ['once', 'session', 'reject'] as const
export type ApprovalChoice = (typeof APPROVAL_CHOICES)[number]

const LABELS: { readonly [choice in ApprovalChoice]: string } = {
  once: 'Allow once',
  session: 'Always allow in this session',
  reject: 'Reject',
}

export interface SourceLoop {
  readonly loop_name: string
  readonly description: string
}

export interface GatedCall {
  readonly displayName: string
  readonly name: string
  readonly input: { readonly [name: string]: Json }
  readonly source?: SourceLoop | undefined
}

/**
 * Shows the whole input as JSON, because a text could be made to look like more than one field. Characters that nobody
 * sees are spelled out.
 */
export function approvalQuestion(
  call: GatedCall,
  { isCoverable }: Pick<EventOf<'approval.requested'>, 'isCoverable'>,
): string {
  const { displayName, name, input, source } = call
  const title = spellOutLine(displayName === name ? name : `${displayName} (${name})`)
  const question = `Allow ${title}?\n${spellOut(JSON.stringify(input, undefined, 2))}`
  const options = APPROVAL_CHOICES.map((choice) => ({
    label: LABELS[choice],
    ...(choice === 'session' &&
      isCoverable === false && { description: 'Calls like this one are asked about anyway.' }),
  }))
  const questions = [{ question, header: 'Permission', options, multiSelect: false }]
  return JSON.stringify({ questions, ...(source && { source_loop: source }) })
}

/** What the question's own result says. */
export function describeAnswer(resolved: {
  readonly granted: boolean
  readonly scope?: 'once' | 'session'
  readonly reason?: string
}): string {
  if (resolved.granted) return LABELS[resolved.scope ?? 'once']
  return resolved.reason === undefined ? LABELS.reject : `${LABELS.reject}: ${resolved.reason}`
}
