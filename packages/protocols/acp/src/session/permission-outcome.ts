import type { PermissionOption, RequestPermissionRequest } from '@agentclientprotocol/sdk'
import type { SessionId } from '@polylogue/engine'
import type { Announcement } from '../projection/shown-call.ts'
import { isObject } from '../is-object.ts'

const ALLOW: PermissionOption = { optionId: 'allow', name: 'Allow once', kind: 'allow_once' }
const ALWAYS: PermissionOption = { optionId: 'allow_always', name: 'Always allow', kind: 'allow_always' }
const REJECT: PermissionOption = { optionId: 'reject', name: 'Reject', kind: 'reject_once' }

export interface AlwaysOffer {
  readonly isCoverable?: boolean | undefined
  /** What *always* covers, in words. */
  readonly always?: string | undefined
}

/** Offers *always* only when the answer would cover later calls. */
export const toPermissionRequest = (
  sessionId: SessionId,
  toolCall: Announcement,
  { isCoverable = true, always }: AlwaysOffer = {},
): RequestPermissionRequest => ({
  sessionId,
  toolCall,
  options: isCoverable
    ? [ALLOW, { ...ALWAYS, ...(always !== undefined && { name: always }) }, REJECT]
    : [ALLOW, REJECT],
})

/** `none`: the request was cancelled, or the answer cannot be read. */
export type PermissionOutcome = 'allow' | 'always' | 'reject' | 'none'

/** Accepts `{outcome: {outcome, optionId}}` and the flat form `{outcome, optionId}`. */
export function readOutcome(answer: unknown): PermissionOutcome {
  if (!isObject(answer)) return 'none'
  const { outcome } = answer
  const chosen = isObject(outcome) ? outcome : answer
  if (chosen['outcome'] !== 'selected') return 'none'
  switch (chosen['optionId']) {
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
