/**
 * Blade shows an approval as an `AskUserQuestion` call that no log contains. Its id is the call's id with a prefix that
 * no call of a model has.
 */
import {
  describeAccess,
  describeApprovalReason,
  parseApprovalReason,
  spellOut,
  spellOutLine,
  type EventOf,
} from '@polylogue/engine'
import type { Json } from '../wire.ts'

export const ASK_TOOL = 'AskUserQuestion'
const PREFIX = 'ask_'

export const askIdOf = (toolCallId: string): string => PREFIX + toolCallId
/** The call that a question is about. `undefined` when the id is not that of an approval question. */
export const callOfAskId = (id: string): string | undefined =>
  id.startsWith(PREFIX) ? id.slice(PREFIX.length) : undefined

/** In display order. */
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
 * Shows the whole input as JSON, because free text could imitate several fields. Invisible characters are escaped.
 */
export function approvalQuestion(
  call: GatedCall,
  asked: Pick<EventOf<'approval.requested'>, 'isCoverable' | 'offers' | 'reason' | 'network' | 'writes'>,
): string {
  const { isCoverable, offers = [] } = asked
  const { displayName, name, input, source } = call
  const title = spellOutLine(displayName === name ? name : `${displayName} (${name})`)
  const note = noteOn(asked)
  const question = `Allow ${title}?${note === '' ? '' : `\n${note}`}\n${spellOut(JSON.stringify(input, undefined, 2))}`
  // An answer without an offer takes the narrowest.
  const covered = isCoverable === false ? 'Later calls like this one still need approval.' : offers[0]?.label
  const options = APPROVAL_CHOICES.map((choice) => ({
    label: LABELS[choice],
    ...(choice === 'session' && covered !== undefined && { description: covered }),
  }))
  const questions = [{ question, header: 'Permission', options, multiSelect: false }]
  return JSON.stringify({ questions, ...(source && { source_loop: spelledOut(source) }) })
}

/** The question of a model. An answer names its choices by their place, so their texts may be spelled out. */
export function spellOutQuestion(input: GatedCall['input'], source: SourceLoop | undefined): string {
  return JSON.stringify(source === undefined ? input : { ...input, source_loop: source }, (_key, value: unknown) =>
    typeof value === 'string' ? spellOut(value) : value,
  )
}

/** The model writes the description of its sub-agent. */
const spelledOut = ({ loop_name, description }: SourceLoop): SourceLoop => ({
  loop_name: spellOutLine(loop_name),
  description: spellOutLine(description),
})

/** What the call gets besides its sandbox, and whether it would leave it. */
function noteOn(asked: Pick<EventOf<'approval.requested'>, 'reason' | 'network' | 'writes'>): string {
  const reason = parseApprovalReason(asked.reason)
  return reason.type === 'run-outside' ? describeApprovalReason(reason) : describeAccess(asked)
}

/** The result of the question. */
export function describeAnswer(resolved: {
  readonly granted: boolean
  readonly scope?: 'once' | 'session'
  readonly offer?: string
  readonly reason?: string
}): string {
  // Other doors can offer the project too.
  if (resolved.granted && resolved.offer?.endsWith('-project') === true) return 'Always allow in this project'
  if (resolved.granted) return LABELS[resolved.scope ?? 'once']
  return resolved.reason === undefined ? LABELS.reject : `${LABELS.reject}: ${resolved.reason}`
}
