import type { StopReason } from '@agentclientprotocol/sdk'
import type { PromptResponse, Usage as WireUsage } from '@agentclientprotocol/sdk/unstable'
import { unreachable, type Usage } from '@polylogue/engine'
import type { AcpProfile } from '../deps.ts'
import { CODES, RpcError } from '../rpc/rpc-error.ts'
import type { TurnEnd } from './own-turns.ts'

/** The answer to a prompt, with the tokens of its turn except in profile seed. A failed turn becomes an error. */
export function toPromptResponse({ outcome, error, usage }: TurnEnd, profile: AcpProfile): PromptResponse {
  const stopReason = stopReasonOf({ outcome, ...(error && { error }) })
  return { stopReason, ...(usage && profile === 'standard' && { usage: toWireUsage(usage) }) }
}

/** On the wire the input comes without its cached parts, and the total has everything. */
function toWireUsage(usage: Usage): WireUsage {
  const { inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteTokens = 0, reasoningTokens } = usage
  return {
    totalTokens: inputTokens + outputTokens,
    inputTokens: Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens),
    outputTokens,
    ...(cachedInputTokens > 0 && { cachedReadTokens: cachedInputTokens }),
    ...(cacheWriteTokens > 0 && { cachedWriteTokens: cacheWriteTokens }),
    ...(reasoningTokens !== undefined && { thoughtTokens: reasoningTokens }),
  }
}

function stopReasonOf({ outcome, error }: TurnEnd): StopReason {
  switch (outcome) {
    case 'finished':
      return 'end_turn'
    case 'token-limit':
      return 'max_tokens'
    case 'refused':
      return 'refusal'
    case 'step-limit':
      return 'max_turn_requests'
    case 'cancelled':
      return 'cancelled'
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
