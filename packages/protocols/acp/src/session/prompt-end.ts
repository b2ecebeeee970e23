import type { PromptResponse } from '@agentclientprotocol/sdk'
import { unreachable } from '@polylogue/engine'
import { CODES, RpcError } from '../rpc/rpc-error.ts'
import type { TurnEnd } from './own-turns.ts'

/** The answer to a prompt. A failed turn becomes an error. */
export function toPromptResponse({ outcome, error }: TurnEnd): PromptResponse {
  switch (outcome) {
    case 'finished':
      return { stopReason: 'end_turn' }
    case 'token-limit':
      return { stopReason: 'max_tokens' }
    case 'refused':
      return { stopReason: 'refusal' }
    case 'step-limit':
      return { stopReason: 'max_turn_requests' }
    case 'cancelled':
      return { stopReason: 'cancelled' }
    case 'failed':
      throw new RpcError(CODES.internal, error?.message ?? 'the turn failed', {
        reason: 'llm_error',
        ...(error && { code: error.code }),
      })
    case 'interrupted':
      throw new RpcError(CODES.internal, 'the turn was interrupted', { reason: 'interrupted' })
    default:
      return unreachable(outcome)
  }
}
