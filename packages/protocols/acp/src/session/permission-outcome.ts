import type { PermissionOption, RequestPermissionRequest } from '@agentclientprotocol/sdk'
import {
  describeAccess,
  describeApprovalReason,
  parseApprovalReason,
  spellOut,
  type CoverOffer,
  type EventOf,
  type SessionId,
} from '@polylogue/engine'
import type { Announcement } from '../projection/shown-call.ts'
import { isObject } from '../is-object.ts'
import { textContent, verbatimContent } from '../projection/tool-content.ts'

const ALLOW: PermissionOption = { optionId: 'allow', name: 'Allow once', kind: 'allow_once' }
const ALWAYS: PermissionOption = { optionId: 'allow_always', name: 'Always allow', kind: 'allow_always' }
const REJECT: PermissionOption = { optionId: 'reject', name: 'Reject', kind: 'reject_once' }

export interface AlwaysOffers {
  readonly isCoverable?: boolean | undefined
  /** What *always* can cover, narrowest first. Absent: one option without a scope. */
  readonly offers?: readonly Pick<CoverOffer, 'id' | 'label'>[] | undefined
}

/** How much of a failed run's output a request shows: the end, where the cause is. */
const SHOWN_FAILURE = 4_000

/** Adds what the call gets besides its sandbox. Or why it would leave it, and what it printed until it was stopped. */
export function withAccess(toolCall: Announcement, asked: EventOf<'approval.requested'>): Announcement {
  const { content = [] } = toolCall
  const reason = parseApprovalReason(asked.reason)
  if (reason.type === 'run-outside') {
    const output = asked.failed?.output ?? ''
    const failure = output === '' ? [] : [verbatimContent(spellOut(output.slice(-SHOWN_FAILURE).toWellFormed()))]
    // Not every client shows the content.
    const title = `${toolCall.title} (outside of the sandbox)`
    return { ...toolCall, title, content: [...content, textContent(describeApprovalReason(reason)), ...failure] }
  }
  const note = describeAccess(asked)
  return note === '' ? toolCall : { ...toolCall, content: [...content, textContent(note)] }
}

/** Offers *always* only when the answer would cover later calls. */
export const toPermissionRequest = (
  sessionId: SessionId,
  toolCall: Announcement,
  always: AlwaysOffers = {},
): RequestPermissionRequest => ({ sessionId, toolCall, options: [ALLOW, ...alwaysOptions(always), REJECT] })

/** The narrowest offer has the plain id, so a client that answers `allow_always` by itself grants no more than that. */
function alwaysOptions({ isCoverable = true, offers = [] }: AlwaysOffers): PermissionOption[] {
  if (!isCoverable) return []
  if (offers.length === 0) return [ALWAYS]
  return offers.map(({ id, label }, index) => ({
    ...ALWAYS,
    ...(index > 0 && { optionId: `${ALWAYS.optionId}:${id}` }),
    name: label,
  }))
}

/** `always` with an offer: the client chose one that is not the narrowest. `none`: cancelled, or unreadable. */
export type PermissionOutcome = 'allow' | 'always' | { readonly always: string } | 'reject' | 'none'

/** Accepts `{outcome: {outcome, optionId}}` and the flat form `{outcome, optionId}`. */
export function readOutcome(answer: unknown): PermissionOutcome {
  if (!isObject(answer)) return 'none'
  const { outcome } = answer
  const chosen = isObject(outcome) ? outcome : answer
  if (chosen['outcome'] !== 'selected') return 'none'
  const { optionId } = chosen
  const wider = typeof optionId === 'string' ? /^allow_always:(.+)$/.exec(optionId)?.[1] : undefined
  if (wider !== undefined) return { always: wider }
  switch (optionId) {
    case 'allow':
    case 'allow_once':
      return 'allow'
    case 'allow_always':
      return 'always'
    case 'reject':
    case 'reject_once':
    case 'reject_always':
      return 'reject'
    default:
      return 'none'
  }
}
